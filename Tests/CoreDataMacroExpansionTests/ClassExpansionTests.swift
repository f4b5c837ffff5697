import Testing

/// What `@ManagedObject` writes.
@Suite struct ClassExpansionTests {
    @Test("A final class lists its properties")
    func aFinalClassListsItsProperties() {
        expectExpansion(
            of: """
                @ManagedObject(stored: "note", custom: "label")
                final class Book: NSManagedObject {
                    var month: String? {
                        nil
                    }
                }
                """,
            """
            final class Book: NSManagedObject {
                var month: String? {
                    nil
                }

                override class var managedProperties: [_ManagedProperty] {
                    var properties: [_ManagedProperty] = []
                    properties += super.managedProperties
                    properties.append(.custom("month", \\Book.month))
                    properties.append(.stored("note", \\Book.note))
                    properties.append(.custom("label", \\Book.label))
                    return properties
                }
            }
            """)
    }

    @Test("A class that may have subclasses lists its properties for them")
    func aClassListsItsPropertiesForSubclasses() {
        expectExpansion(
            of: """
                @ManagedObject
                open class Book: NSManagedObject {
                    public var month: String? {
                        nil
                    }
                }
                """,
            """
            open class Book: NSManagedObject {
                public var month: String? {
                    nil
                }

                open override class var managedProperties: [_ManagedProperty] {
                    super.managedProperties + _properties(declaredBy: Book.self, from: Book.self)
                }

                public nonisolated static func _properties<_Object: Book>(
                    declaredBy: Book.Type, from: _Object.Type
                ) -> [_ManagedProperty] {
                    var properties: [_ManagedProperty] = []
                    properties += _properties(declaredBy: NSManagedObject.self, from: _Object.self)
                    properties.append(.custom("month", \\_Object.month))
                    return properties
                }
            }
            """)
    }

    @Test("A subclass lists the properties that it inherits")
    func aSubclassListsWhatItInherits() {
        expectExpansion(
            of: """
                @ManagedObject
                public final class Novel: Library.Book {
                }
                """,
            """
            public final class Novel: Library.Book {

                public override class var managedProperties: [_ManagedProperty] {
                    var properties: [_ManagedProperty] = []
                    properties += super.managedProperties
                    properties += _properties(declaredBy: Library.Book.self, from: Novel.self)
                    return properties
                }
            }
            """)
    }

    @Test("Stored, static, private, overridden, throwing and unavailable properties are not listed")
    func onlyComputedPropertiesThatOthersSeeAreListed() {
        expectExpansion(
            of: """
                @ManagedObject
                final class Book: NSManagedObject {
                    var cache = 0
                    static var count: Int { 0 }
                    private var secret: Int { 0 }
                    override var description: String { "" }
                    var failing: Int { get throws { 0 } }
                    @available(*, unavailable) var gone: Int { 0 }
                }
                """,
            """
            final class Book: NSManagedObject {
                var cache = 0
                static var count: Int { 0 }
                private var secret: Int { 0 }
                override var description: String { "" }
                var failing: Int { get throws { 0 } }
                @available(*, unavailable) var gone: Int { 0 }
            }
            """)
    }

    @Test("Dependencies are found by the names of class methods and properties")
    func dependenciesAreFound() {
        expectExpansion(
            of: """
                @ManagedObject
                final class Book: NSManagedObject {
                    @Managed(primitive: true) var primitivePublishDate: Date?
                    class func keyPathsForValuesAffectingPublishMonthID() -> Set<String> { ["publishDate"] }
                    static let keyPathsForValuesAffectingLabel: Set = ["title", "author.name"]
                    class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }
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
                class func keyPathsForValuesAffectingPublishMonthID() -> Set<String> { ["publishDate"] }
                static let keyPathsForValuesAffectingLabel: Set = ["title", "author.name"]
                class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }

                override class var registeredDependencies: _ManagedDependencies {
                    var table: _ManagedDependencies = [:]
                    table.merge(super.registeredDependencies) {
                        $1
                    }
                    table["publishMonthID"] = keyPathsForValuesAffectingPublishMonthID()
                    table["label"] = keyPathsForValuesAffectingLabel
                    return table
                }
            }
            """)
    }

    @Test("A key that begins with a capital letter is found by its property")
    func aKeyThatBeginsWithACapitalLetterIsKnownByItsProperty() {
        expectExpansion(
            of: """
                @ManagedObject(stored: "URL", "EAN")
                final class Book: NSManagedObject {
                    static func keyPathsForValuesAffectingURL() -> Set<String> { [] }
                    func validateEAN(_ value: inout String?) {}
                }
                """,
            """
            final class Book: NSManagedObject {
                static func keyPathsForValuesAffectingURL() -> Set<String> { [] }
                func validateEAN(_ value: inout String?) {}

                override class var managedProperties: [_ManagedProperty] {
                    var properties: [_ManagedProperty] = []
                    properties += super.managedProperties
                    properties.append(.stored("URL", \\Book.URL))
                    properties.append(.stored("EAN", \\Book.EAN))
                    return properties
                }

                override class var registeredDependencies: _ManagedDependencies {
                    var table: _ManagedDependencies = [:]
                    table.merge(super.registeredDependencies) {
                        $1
                    }
                    table["URL"] = keyPathsForValuesAffectingURL()
                    return table
                }

                override class var registeredValidators: _ManagedValidators {
                    var table: _ManagedValidators = [:]
                    table.merge(super.registeredValidators) {
                        $1
                    }
                    table["EAN"] = .method { (object: Book, value: inout String?) in
                        object.validateEAN(&value)
                    }
                    return table
                }
            }
            """)
    }

    @Test("Validators are found by their names and parameters")
    func validatorsAreFound() {
        expectExpansion(
            of: """
                @ManagedObject
                public class Book: NSManagedObject {
                    func validateTitle(_ value: inout String?) throws {}
                    private func validatePages(_ value: inout Optional<Int>) {}
                    override func validateForInsert() throws {}
                    func validated(_ value: inout String?) {}
                    func validate(_ value: inout String?) {}
                    func validateAuthor(_ value: inout Author?) async throws {}
                }
                """,
            """
            public class Book: NSManagedObject {
                func validateTitle(_ value: inout String?) throws {}
                private func validatePages(_ value: inout Optional<Int>) {}
                override func validateForInsert() throws {}
                func validated(_ value: inout String?) {}
                func validate(_ value: inout String?) {}
                func validateAuthor(_ value: inout Author?) async throws {}

                public override class var registeredValidators: _ManagedValidators {
                    var table: _ManagedValidators = [:]
                    table.merge(super.registeredValidators) {
                        $1
                    }
                    table["title"] = .method { (object: Book, value: inout String?) in
                        try object.validateTitle(&value)
                    }
                    table["pages"] = .method { (object: Book, value: inout Optional<Int>) in
                        object.validatePages(&value)
                    }
                    return table
                }
            }
            """)
    }

    @Test("Members under a condition are listed under the same condition")
    func conditionsStay() {
        expectExpansion(
            of: """
                @ManagedObject
                final class Book: NSManagedObject {
                    #if DEBUG
                    var label: String { "" }
                    class func keyPathsForValuesAffectingLabel() -> Set<String> { [] }
                    #elseif os(Linux)
                    #else
                    var other: String { "" }
                    #endif
                }
                """,
            """
            final class Book: NSManagedObject {
                #if DEBUG
                var label: String { "" }
                class func keyPathsForValuesAffectingLabel() -> Set<String> { [] }
                #elseif os(Linux)
                #else
                var other: String { "" }
                #endif

                override class var managedProperties: [_ManagedProperty] {
                    var properties: [_ManagedProperty] = []
                    properties += super.managedProperties
                    #if DEBUG
                    properties.append(.custom("label", \\Book.label))
                    #elseif os(Linux)
                    #else
                    properties.append(.custom("other", \\Book.other))
                    #endif
                    return properties
                }

                override class var registeredDependencies: _ManagedDependencies {
                    var table: _ManagedDependencies = [:]
                    table.merge(super.registeredDependencies) {
                        $1
                    }
                    #if DEBUG
                    table["label"] = keyPathsForValuesAffectingLabel()
                    #elseif os(Linux)
                    #else
                    #endif
                    return table
                }
            }
            """)
    }
}
