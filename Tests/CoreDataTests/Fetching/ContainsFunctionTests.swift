import CoreData
import Testing

/// What the function of SQL finds that searches strings for others.
@Suite struct ContainsFunctionTests {
    private static let texts = [
        "", "a", "1", "12", "1213", "uber 12345", "über 12345", "12345", "x12345", "12345x", "1234 5",
        // The rarest byte is there more often than the search compares.
        "121212121212121212121212121213", "1212121212121212121212121212", "1111111111111111112",
        "1111111111111111111",
        "души", "Мёртвые души", "души мои", "ду", "a\u{0}b", "b\u{0}a", "e\u{301}",
    ]

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func coordinator() throws -> NSPersistentStoreCoordinator {
        let item = NSEntityDescription("Item", attribute("text", .string), attribute("part", .string))
        return try folder.open(NSManagedObjectModel(of: item))
    }

    private static func contains(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text.utf8), Array(part.utf8))
        guard part.count <= text.count else { return false }
        return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
    }

    @Test("CONTAINS finds the strings that have the bytes of a constant, and not those without a value")
    func constants() throws {
        try coordinator().inContext { context in
            for text in Self.texts { try context.insert("Item", ["text": text]) }
            try context.insert("Item")
            try context.save()
            for part in Self.texts where !part.isEmpty {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = NSPredicate(format: "text CONTAINS %@", part)
                let found = try context.fetch(request).compactMap { $0.value(forKey: "text") as? String }
                #expect(found.sorted() == Self.texts.filter { Self.contains($0, part) }.sorted(), "\(part)")
            }
        }
    }

    @Test("CONTAINS compares each string with the one of its own object")
    func columns() throws {
        try coordinator().inContext { context in
            var expected = 0
            for text in Self.texts {
                for part in Self.texts where !part.isEmpty {
                    try context.insert("Item", ["text": text, "part": part])
                    if Self.contains(text, part) { expected += 1 }
                }
            }
            try context.insert("Item", ["text": "a"])
            try context.insert("Item", ["part": "a"])
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = NSPredicate(format: "text CONTAINS part")
            #expect(try context.count(for: request) == expected)
        }
    }
}
