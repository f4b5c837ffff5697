import CoreData
import Testing

/// Strings and URLs: stored as text, byte for byte.
@Suite struct StringTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Text", attribute("body", .string), attribute("link", .uri)))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func save(_ key: String, _ value: Any) throws {
        try folder.open(Self.model).inContext { context in
            let object = try context.insert("Text", [key: value])
            try context.save()
            #expect(object.value(forKey: key) as? NSObject == value as? NSObject)
        }
    }

    private func read(_ key: String) throws -> Any? {
        try folder.open(Self.model).inContext { try $0.only("Text").value(forKey: key) }
    }

    @Test(
        "A string is stored byte for byte",
        arguments: [
            "", "a", "a\0b\0", "\0", "👩‍👩‍👧‍👦 🇩🇪", "e\u{301}", "\u{e9}", "\u{1E9B}\u{0323}",
            "It's \"quoted\"; -- %@ \\",
            "\u{FEFF}bom", "\n\t\r", "\u{10FFFF}",
        ])
    func isStoredByteForByte(_ text: String) throws {
        try save("body", text)
        let read = try #require(try read("body") as? String)
        #expect(Array(read.utf8) == Array(text.utf8))
        #expect(try folder.value("SELECT typeof(ZBODY) FROM ZTEXT") == "text".databaseValue)
        #expect(
            try folder.value("SELECT CAST(ZBODY AS BLOB) FROM ZTEXT") == Data(text.utf8).databaseValue)
    }

    @Test("A string of more than a million bytes is stored")
    func longStrings() throws {
        let text = String(repeating: "Größe 🐘 ", count: 100_000)
        #expect(text.utf8.count > 1_000_000)
        try save("body", text)
        #expect(try read("body") as? String == text)
        #expect(
            try folder.value("SELECT length(CAST(ZBODY AS BLOB)) FROM ZTEXT")
                == text.utf8.count.databaseValue)
    }

    @Test("Canonically equivalent strings are different values")
    func equivalentStringsDiffer() throws {
        try folder.open(Self.model).inContext { context in
            let object = try context.insert("Text", ["body": "\u{e9}"])
            try context.save()
            object.setValue("e\u{301}", forKey: "body")
            #expect(object.hasPersistentChangedValues)
            try context.save()
        }
        #expect(try folder.value("SELECT hex(ZBODY) FROM ZTEXT") == "65CC81".databaseValue)
    }

    @Test("An empty string is found and is not nil")
    func emptyString() throws {
        try folder.open(Self.model).inContext { context in
            try context.insert("Text", ["body": ""])
            try context.insert("Text")
            try context.save()
            #expect(try context.all("Text", where: NSPredicate(format: "body == %@", "")).count == 1)
            #expect(try context.all("Text", where: NSPredicate(format: "body == nil")).count == 1)
        }
    }

    @Test(
        "A URL is stored as its absolute string",
        arguments: [
            "https://example.org/a%20b?q=1&r=%C3%BC#top", "relative/path", "mailto:a@example.org",
            "file:///tmp/%F0%9F%90%98", "x-coredata://host/E/p1", "urn:isbn:9783161484100", "?q", "#f",
        ])
    func urlsAreStrings(_ link: String) throws {
        let url = try #require(URL(string: link))
        try save("link", url)
        #expect((try read("link") as? URL)?.absoluteString == link)
        #expect(try folder.stored("ZLINK", in: "ZTEXT") == ["text '\(link)'"])
    }

    @Test("A URL with a base is stored as an absolute URL")
    func relativeURL() throws {
        let url = try #require(URL(string: "c/d", relativeTo: URL(string: "https://example.org/a/b")))
        try folder.open(Self.model).inContext { context in
            try context.insert("Text", ["link": url])
            try context.save()
        }
        #expect(try folder.stored("ZLINK", in: "ZTEXT") == ["text 'https://example.org/a/c/d'"])
        #expect(try read("link") as? URL == URL(string: "https://example.org/a/c/d"))
    }

    @Test("A stored string that is not a URL reads as nil and is kept")
    func invalidURLIsKept() throws {
        try folder.make(Self.model)
        let odd = "http://[not a link"
        try folder.execute("INSERT INTO ZTEXT (Z_PK, Z_ENT, Z_OPT, ZLINK) VALUES (1, 1, 1, ?)", [odd])
        try folder.open(Self.model).inContext { context in
            let object = try context.only("Text")
            #expect(object.value(forKey: "link") == nil)
            object.setValue("changed", forKey: "body")
            try context.save()
        }
        #expect(try folder.stored("ZLINK", "ZBODY", in: "ZTEXT") == ["text '\(odd)'", "text 'changed'"])
    }
}
