import Testing

/// What `@Managed` and `@ManagedAccessor` write.
@Suite struct ExpansionTests {
    @Test("A managed property gets accessors and a key")
    func aPropertyHasAccessorsAndAKey() {
        expectExpansion(
            of: """
                final class Book: NSManagedObject {
                    @Managed public private(set) var title: String?
                }
                """,
            """
            final class Book: NSManagedObject {
                public private(set) var title: String? {
                    get {
                        self[Self._managedKey_title]
                    }
                    set {
                        self[Self._managedKey_title] = newValue
                    }
                }

                private nonisolated static let _managedKey_title = _ManagedKey<String?>("title")
            }
            """)
    }

    @Test("A managed property of an extension gets accessors and a key")
    func aPropertyOfAnExtensionIsWrittenAlike() {
        expectExpansion(
            of: """
                extension Book {
                    @Managed var tags: Set<Tag>
                }
                """,
            """
            extension Book {
                var tags: Set<Tag> {
                    get {
                        self[Self._managedKey_tags]
                    }
                    set {
                        self[Self._managedKey_tags] = newValue
                    }
                }

                private nonisolated static let _managedKey_tags = _ManagedKey<Set<Tag>>("tags")
            }
            """)
    }

    @Test("A managed property may have another name in the model")
    func theModelMayHaveAnotherName() {
        expectExpansion(
            of: """
                extension Book {
                    @Managed("cover") var coverColor: Color!
                }
                """,
            """
            extension Book {
                var coverColor: Color! {
                    get {
                        self[Self._managedKey_coverColor]
                    }
                    set {
                        self[Self._managedKey_coverColor] = newValue
                    }
                }

                private nonisolated static let _managedKey_coverColor = _ManagedKey<Color?>("cover")
            }
            """)
    }

    @Test("Backticks are not part of the key")
    func backticksAreNotPartOfTheKey() {
        expectExpansion(
            of: """
                extension Book {
                    @Managed var `class`: String?
                }
                """,
            """
            extension Book {
                var `class`: String? {
                    get {
                        self[Self._managedKey_class]
                    }
                    set {
                        self[Self._managedKey_class] = newValue
                    }
                }

                private nonisolated static let _managedKey_class = _ManagedKey<String?>("class")
            }
            """)
    }

    @Test("A primitive property has the key after its prefix")
    func aPrimitivePropertyHasTheNameAfterItsPrefix() {
        expectExpansion(
            of: """
                final class Book: NSManagedObject {
                    @Managed(primitive: true) var primitivePublishDate: Date?
                }
                """,
            """
            final class Book: NSManagedObject {
                var primitivePublishDate: Date? {
                    get {
                        self[primitive: Self._managedKey_primitivePublishDate]
                    }
                    set {
                        self[primitive: Self._managedKey_primitivePublishDate] = newValue
                    }
                }

                private nonisolated static let _managedKey_primitivePublishDate = _ManagedKey<Date?>("publishDate")
            }
            """)
    }

    @Test("A primitive property may name its key")
    func aPrimitivePropertyMayNameAnother() {
        expectExpansion(
            of: """
                final class Book: NSManagedObject {
                    @Managed("URL", primitive: true) var keptURL: URL?
                }
                """,
            """
            final class Book: NSManagedObject {
                var keptURL: URL? {
                    get {
                        self[primitive: Self._managedKey_keptURL]
                    }
                    set {
                        self[primitive: Self._managedKey_keptURL] = newValue
                    }
                }

                private nonisolated static let _managedKey_keptURL = _ManagedKey<URL?>("URL")
            }
            """)
    }

    @Test("A managed accessor gets a body by its name and labels")
    func aMethodHasABodyByItsNameAndLabels() {
        expectExpansion(
            of: """
                extension Book {
                    @ManagedAccessor func addToPages(_ value: Page)
                    @ManagedAccessor func removeFromPages(_ values: NSOrderedSet)
                    @ManagedAccessor func insertIntoPages(_ value: Page, at idx: Int)
                    @ManagedAccessor func removeFromPages(at indexes: NSIndexSet)
                    @ManagedAccessor func replacePages(at idx: Int, with value: Page)
                    @ManagedAccessor("URLs") public func addToURLs(_ value: Link)
                }
                """,
            """
            extension Book {
                func addToPages(_ value: Page) {
                    _ToManyRelationship(of: self, named: "pages").add(value)
                }
                func removeFromPages(_ values: NSOrderedSet) {
                    _ToManyRelationship(of: self, named: "pages").remove(values)
                }
                func insertIntoPages(_ value: Page, at idx: Int) {
                    _ToManyRelationship(of: self, named: "pages").insert(value, at: idx)
                }
                func removeFromPages(at indexes: NSIndexSet) {
                    _ToManyRelationship(of: self, named: "pages").remove(at: indexes)
                }
                func replacePages(at idx: Int, with value: Page) {
                    _ToManyRelationship(of: self, named: "pages").replace(at: idx, with: value)
                }
                public func addToURLs(_ value: Link) {
                    _ToManyRelationship(of: self, named: "URLs").add(value)
                }
            }
            """)
    }
}
