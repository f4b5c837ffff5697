import CoreData

/// The objects that scenarios begin with.
enum Contents {
    /// Data of a size that goes into a file of its own.
    static func large(_ seed: UInt8) -> Data {
        Data((0..<105_000).map { UInt8(truncatingIfNeeded: $0 &* 7) ^ seed })
    }

    /// Makes a store of two authors and four books, and closes it.
    static func make(
        _ stage: Stage, _ model: NSManagedObjectModel = TortureModel.first, _ name: String = Stage.mainName,
        type: NSPersistentStore.StoreType = .sqlite, options: [AnyHashable: Any]? = nil, marks: String = "",
        withCovers: Bool = false
    ) throws {
        try stage.open(model, name, type: type, options: options)
        try stage.context().change { context in
            let tags = ["dark", "light"].map { context.make("Tag", $0 + marks) }
            for author in ["Ann", "Ben"] {
                let owner = context.make("Author", author + marks, ["note": "of \(author)"])
                for number in 1...2 {
                    let book = context.make(
                        "Book", "\(author)\(number)\(marks)", ["pages": number * 10, "author": owner])
                    book.setValue(NSSet(array: Array(tags.prefix(number))), forKey: "tags")
                    let chapters = (1...3).map { context.make("Chapter", "\(author)\(number).\($0)") }
                    book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
                    if withCovers { book.setValue(large(UInt8(number)), forKey: "cover") }
                }
            }
        }
        try stage.close()
    }
}
