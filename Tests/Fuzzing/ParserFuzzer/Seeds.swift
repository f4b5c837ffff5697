import CocoaFoundation
import FuzzerDriver
import ManagedObjectModel

/// The first inputs of what is not text, small and of our own making.
enum Seeds {
    static func write(to folder: URL) throws {
        let write = SeedFolder(folder).write
        try write(propertyList, "property-lists", "kinds")
        for (name, object) in objects {
            try write(try KeyedArchiveWriter.archivedData(withRootObject: object), "keyed-archives", name)
        }
        let text = Data(ShelfText.of(derives: true).utf8)
        let model = try NSManagedObjectModel(tree: ModelElement(xml: text))
        try write(model.compiledData(), "compiled-models", "shelf")
        try write(model.modelCacheArchive(), "model-copies", "shelf")
        try write(text, "model-texts", "shelf")
        try write(MappingSeed.compiled(), "compiled-mappings", "books")
        try write(MappingSeed.editorModel(), "editor-archives", "books")
    }

    private static var propertyList: Data {
        var table = PropertyListTable()
        let texts = [table.add(.string("a")), table.add(.string("\u{E9}\u{1F600}"))]
        let list = table.add(.array(texts))
        let root = table.addDictionary([
            ("list", list), ("yes", table.add(.boolean(true))), ("number", table.add(.integer(-1))),
            ("large", table.add(.unsigned(.max))), ("real", table.add(.real(1.5))),
            ("date", table.add(.date(1000))),
            ("data", table.add(.data(Data(0...20)))), ("inner", table.addDictionary([("key", texts[0])])),
        ])
        return BinaryPropertyList(nodes: table.nodes, root: root).data()
    }

    private static var objects: [(String, Any)] {
        [
            (
                "collections",
                [
                    "array": [1, 2.5, "x"], "set": Set(["a", "b"]), "data": Data([1, 2]),
                    "date": Date(timeIntervalSinceReferenceDate: 1000),
                    "uuid": UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
                    "url": URL(fileURLWithPath: "/a/b"), "none": NSNull(),
                    "list": NSOrderedSet(array: ["a", "b"]), "decimal": NSDecimalNumber(string: "-12.5e3"),
                ] as NSDictionary
            ),
            (
                "predicate",
                NSPredicate(
                    format: "name BEGINSWITH[cd] 'a' AND (ANY pages.number IN {1, 2} OR NOT age + 1 > 3)")
            ),
            (
                "subquery",
                NSPredicate(format: "SUBQUERY(pages, $x, $x.number == 1).@count > TERNARY(flag == 1, 2, 3)")
            ),
            ("order", [NSSortDescriptor(key: "name", ascending: true)] as NSArray),
        ]
    }
}
