import CoreData
import Testing

/// `CONTAINS` without options finds in a store, and among unsaved objects, what stands in a text code point by code point.
@Suite struct TextSearchTests {
    private static let long = String(repeating: "abcdefghij", count: 40)

    private static let names = [
        "", "a", "ab", "aab", "aaab", "abab", "banana", "The little house", "uber 12345", "über 12345",
        "u\u{308}ber",
        "x\u{0}y", "души", "👩‍👩‍👧", "👩", long, long + "!", "!" + long, String(repeating: "a", count: 600) + "b",
    ]

    private static let parts = [
        "", "a", "b", "ab", "aab", "nana", "anan", "little", "house", "The", "uber 1", "12345", "ü",
        "\u{308}", "\u{0}",
        "\u{0}y", "уш", "👩", "👧", "ij!", "!a", long, String(long.dropFirst()), String(long.dropLast()) + "x",
        String(repeating: "a", count: 255) + "b", String(repeating: "a", count: 256) + "b",
        String(repeating: "a", count: 700),
    ]

    /// Whether one string contains the bytes of another one; compared at each offset, which is slow but
    /// simple.
    private static func contains(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text.utf8), Array(part.utf8))
        guard part.count <= text.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }

    @Test("CONTAINS finds a substring by code points, before and after a save")
    func partsAreFoundAnywhere() throws {
        let folder = try StoreFolder()
        try folder.open(OwnerModel.model()).inContext { context in
            for name in Self.names { try context.insert("Item", ["name": name]) }
            try context.insert("Item", [:])
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                for part in Self.parts {
                    let found = try context.all("Item", where: NSPredicate(format: "name CONTAINS %@", part))
                    let names = found.compactMap { $0.value(forKey: "name") as? String }
                    #expect(
                        names.sorted() == Self.names.filter { Self.contains($0, part) }.sorted(), "\(part)")
                    let others = NSPredicate(format: "NOT name CONTAINS %@", part)
                    #expect(try context.all("Item", where: others).count == Self.names.count - names.count)
                }
            }
            // The part is another one in each row; then it is nothing.
            let own = try context.all("Item", where: NSPredicate(format: "name CONTAINS name"))
            #expect(own.count == Self.names.count)
            #expect(try context.all("Item", where: NSPredicate(format: "'banana' CONTAINS name")).count == 3)
        }
    }
}
