import ModelPorting
import Testing

@Suite struct ManagedMethodTests {
    private static let shapes: [(String, String)] = [
        ("func addToPages(_ value: Page)", "add(value)"),
        ("func addToPages(_ values: NSSet)", "add(values)"),
        ("func removeFromPages(_ values: Set<Page>)", "remove(values)"),
        ("func insertIntoPages(_ value: Page, at idx: Int)", "insert(value, at: idx)"),
        ("func removeFromPages(at idx: Int)", "remove(at: idx)"),
        (
            "func replacePages(at indexes: NSIndexSet, with values: [Page])",
            "replace(at: indexes, with: values)"
        ),
        ("func addPagesObject(_ value: Page)", "add(value)"),
        ("func removePagesObject(_ value: Page)", "remove(value)"),
        ("func addPages(_ values: NSSet)", "add(values)"),
        ("func removePages(_ values: NSOrderedSet)", "remove(values)"),
        ("func insertObject(_ value: Page, inPagesAtIndex idx: Int)", "insert(value, at: idx)"),
        ("func removeObjectFromPagesAtIndex(_ idx: Int)", "remove(at: idx)"),
        ("func insertPages(_ values: [Page], atIndexes places: NSIndexSet)", "insert(values, at: places)"),
        ("func removePagesAtIndexes(_ places: NSIndexSet)", "remove(at: places)"),
        (
            "func replaceObjectInPagesAtIndex(_ idx: Int, withObject value: Page)",
            "replace(at: idx, with: value)"
        ),
        (
            "func replacePagesAtIndexes(_ idx: NSIndexSet, withPages values: [Page])",
            "replace(at: idx, with: values)"
        ),
    ]

    @Test("Every form of a generated accessor gets its body", arguments: shapes)
    func everyShapeHasItsBody(_ declaration: String, _ call: String) {
        #expect(
            portedMember("    @NSManaged public \(declaration)  // as it was")
                == "    public \(declaration) { _ToManyRelationship(of: self, named: \"pages\").\(call) }  // as it was"
        )
    }

    @Test("The selector of an accessor determines its key, not its Swift name")
    func theSelectorDeterminesTheKey() {
        #expect(
            portedMember("@objc(addPagesObject:) @NSManaged func append(_ page: Page)")
                == "func append(_ page: Page) { _ToManyRelationship(of: self, named: \"pages\").add(page) }")
        #expect(
            portedMember(
                "@objc(replacePagesAtIndexes:withPages:) @NSManaged func put(_ a: IndexSet, _ b: [Page])")
                == "func put(_ a: IndexSet, _ b: [Page]) { _ToManyRelationship(of: self, named: \"pages\").replace(at: a, with: b) }"
        )
    }

    @Test("A key with a capital letter is found by its property")
    func aKeyWithACapitalLetterIsKnownFromItsProperty() {
        let property = "extension Book { @NSManaged var URLs: NSSet? }"
        #expect(
            portedMember("@NSManaged func addURLsObject(_ value: Link)", with: [property])
                == "func addURLsObject(_ value: Link) { _ToManyRelationship(of: self, named: \"URLs\").add(value) }"
        )
        #expect(
            portedMember("@NSManaged func addURLsObject(_ value: Link)")
                == "func addURLsObject(_ value: Link) { _ToManyRelationship(of: self, named: \"uRLs\").add(value) }"
        )
    }

    @Test("Primitive methods read and write the primitive value")
    func primitiveMethodsReachTheKeptValue() {
        #expect(
            portedMember("@NSManaged func primitiveTitle() -> String?")
                == "func primitiveTitle() -> String? { self[primitive: Self._managedKey_primitiveTitle] }; "
                + "private nonisolated static let _managedKey_primitiveTitle = _ManagedKey<String?>(\"title\")"
        )
        #expect(
            portedMember("@NSManaged func setPrimitiveTitle(_ new: String?)")
                == "func setPrimitiveTitle(_ new: String?) { self[primitive: Self._managedKey_setPrimitiveTitle] = new }; "
                + "private nonisolated static let _managedKey_setPrimitiveTitle = _ManagedKey<String?>(\"title\")"
        )
    }

    @Test(
        "Any other managed method is an error",
        arguments: [
            "func pages()", "func addedPages(_ page: Page)", "func addToPages(_ a: Page, _ b: Page)",
            "func countOfPages() -> Int",
        ])
    func otherMethodsAreErrors(_ declaration: String) {
        let ported = Ported("class Book: NSManagedObject {\n    @NSManaged \(declaration)\n}")
        #expect(ported.errors.count == 1)
        #expect(ported.errors.first?.hasPrefix("Book.swift:2:21: error: '") == true)
        #expect(ported.errors.first?.contains("is not an accessor that Core Data writes") == true)
    }
}
