import CoreData
import Testing

/// Saves of so many new objects that one statement inserts their rows, compared with saves of one object each.
@Suite struct ManyRowsTests {
    /// One statement inserts them, where a save of one object has a statement of its own.
    private static let count = 300

    private static let attributes: [(name: String, type: NSAttributeDescription.AttributeType)] = [
        ("index", .integer64), ("medium", .integer32), ("small", .integer16), ("flag", .boolean),
        ("ratio", .double),
        ("weight", .float), ("when", .date), ("text", .string), ("id", .uuid), ("link", .uri),
        ("bytes", .binaryData), ("price", .decimal), ("list", .transformable),
    ]

    private static func model() -> NSManagedObjectModel {
        let item = NSEntityDescription("Item")
        item.properties = attributes.map { attribute($0.name, $0.type) }
        return NSManagedObjectModel(of: item)
    }

    /// The values of the object with an index: each attribute has several, also none.
    private static func values(_ index: Int) -> [String: Any] {
        let texts = ["", "plain", "a\u{0}b", "ü 🦊", String(repeating: "long ", count: 400)]
        let bytes = [Data(), Data([0, 1, 2]), Data(repeating: 7, count: 5000)]
        let numbers = ["0", "12345678901234567890.125", "-3", "0.1"]
        var values: [String: Any] = [
            "index": [Int64.min, .max, 0, Int64(index)][index % 4], "small": Int16(index % 100 - 50),
            "medium": Int32(truncatingIfNeeded: index &* 40_503_001),
            "flag": index % 2 == 0, "ratio": [-0.0, .infinity, -.infinity, Double(index) / 7][index % 4],
            "weight": Float(index) / 3,
            "when": Date(timeIntervalSinceReferenceDate: Double(index) * 1000.5),
            "text": texts[index % texts.count],
            "id": UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(index & 255))),
            "link": URL(fileURLWithPath: "/a/\(index)"), "bytes": bytes[index % bytes.count],
            "price": Decimal(string: numbers[index % numbers.count]) ?? 0,
            "list": ["a", "b\(index)"] as NSArray,
        ]
        for (position, name) in values.keys.sorted().enumerated() where (index + position) % 5 == 0 {
            values[name] = nil
        }
        return values
    }

    /// All columns of the items but the keys, with their types, in the order of the keys.
    private static func stored(_ folder: StoreFolder) throws -> [String] {
        let names = try folder.rows("SELECT name FROM pragma_table_info('ZITEM') WHERE name <> 'Z_PK'")
            .compactMap { String.fromDatabaseValue($0[0]) }
        let list = names.sorted().map { "typeof(\($0)) || ' ' || quote(\($0))" }.joined(
            separator: " || ', ' || ")
        return try folder.rows("SELECT \(list) FROM ZITEM ORDER BY Z_PK").map {
            String.fromDatabaseValue($0[0]) ?? "?"
        }
    }

    @Test("Values of every type are stored as a save of one object stores them")
    func values() throws {
        let (many, single) = (try StoreFolder(), try StoreFolder())
        try many.open(Self.model()).inContext { context throws in
            for index in 0..<Self.count { try context.insert("Item", Self.values(index)) }
            try context.save()
        }
        try single.open(Self.model()).inContext { context throws in
            for index in 0..<Self.count {
                try context.insert("Item", Self.values(index))
                try context.save()
            }
        }
        // The keys of one save need not follow the order of the objects.
        #expect(try Self.stored(many).sorted() == Self.stored(single).sorted())
        #expect(try many.value("SELECT count(*) FROM ZITEM") == Self.count.databaseValue)
        try many.open(Self.model()).inContext { context throws in
            let texts = Set(try context.all("Item").map { $0.value(forKey: "text") as? String })
            #expect(texts == Set((0..<Self.count).map { Self.values($0)["text"] as? String }))
        }
    }

    @Test(
        "A row that an index of the file refuses is the error of a save of that object, and nothing is stored"
    )
    func refusedRow() throws {
        func refusal(_ indexes: Range<Int>) throws -> NSError {
            let folder = try StoreFolder()
            let coordinator = try folder.open(Self.model())
            try coordinator.inContext { context throws in
                try context.insert("Item", ["small": 150])
                try context.save()
            }
            try folder.execute("CREATE UNIQUE INDEX ONCE ON ZITEM (ZSMALL)")
            let reopened = try folder.open(Self.model())
            return try reopened.inContext { context throws in
                let objects = try indexes.map { try context.insert("Item", ["small": Int16($0)]) }
                let refusal = try error { try context.save() }
                #expect(try folder.value("SELECT count(*) FROM ZITEM") == 1.databaseValue)
                #expect(context.insertedObjects.count == objects.count)
                // What is in the way is taken away: the same objects can be saved then.
                try folder.execute("DELETE FROM ZITEM")
                try context.save()
                #expect(try folder.value("SELECT count(*) FROM ZITEM") == objects.count.databaseValue)
                #expect(objects.allSatisfy { !$0.objectID.isTemporaryID })
                return refusal
            }
        }
        let (many, single) = (try refusal(0..<Self.count), try refusal(150..<151))
        #expect(many.code == single.code && many.domain == single.domain)
        #expect(many.localizedDescription == single.localizedDescription)
    }

    @Test("Triggers of the table run for each row, with their own way to resolve conflicts")
    func triggers() throws {
        let folder = try StoreFolder()
        try folder.make(Self.model())
        try folder.execute("CREATE TABLE NOTED (rest INTEGER UNIQUE, number INTEGER)")
        try folder.execute(
            """
            CREATE TRIGGER NOTING AFTER INSERT ON ZITEM
            BEGIN INSERT OR REPLACE INTO NOTED VALUES (NEW.ZINDEX % 100, NEW.ZINDEX); END
            """)
        try folder.open(Self.model()).inContext { context throws in
            for index in 0..<Self.count { try context.insert("Item", ["index": Int64(index)]) }
            try context.save()
        }
        let noted = try folder.rows("SELECT number FROM NOTED ORDER BY number").map { $0[0] }
        let last = Self.count - 100..<Self.count
        #expect(noted == last.map(\.databaseValue))
    }

    @Test(
        "Rows of as many columns as one statement takes are stored, and of more",
        arguments: [(97, 63), (97, 64), (98, 64), (130, 300)])
    func manyColumns(_ columns: Int, _ rows: Int) throws {
        let wide = NSEntityDescription("Wide")
        wide.properties = (0..<columns).map { attribute("a\($0)", .integer64) }
        let model = NSManagedObjectModel(of: wide)
        let folder = try StoreFolder()
        let last = "a\(columns - 1)"
        try folder.open(model).inContext { context throws in
            for index in 0..<rows { try context.insert("Wide", ["a0": -Int64(index), last: Int64(index)]) }
            try context.save()
        }
        try folder.open(model).inContext { context throws in
            let stored = try context.all("Wide", by: last)
            #expect(stored.map { $0.value(forKey: last) as? Int64 } == (0..<rows).map { Int64($0) })
            #expect(stored.map { $0.value(forKey: "a0") as? Int64 } == (0..<rows).map { -Int64($0) })
        }
    }

    @Test("Rows of an entity's subentities are stored in runs of any length")
    func families() throws {
        let (left, right) = (
            NSEntityDescription("Left", attribute("l", .string)),
            NSEntityDescription("Right", attribute("r", .integer64))
        )
        let side = NSEntityDescription("Side", attribute("name", .string), subentities: [left, right])
        let model = NSManagedObjectModel(of: side, left, right)
        let folder = try StoreFolder()
        try folder.open(model).inContext { context throws in
            for index in 0..<Self.count {
                // Runs of 70 of one entity and 30 of the other.
                if index % 100 < 70 {
                    try context.insert("Left", ["name": "l", "l": "\(index)"])
                } else {
                    try context.insert("Right", ["name": "r", "r": Int64(index)])
                }
            }
            try context.save()
        }
        try folder.open(model).inContext { context throws in
            let lefts = try context.all("Left").map { $0.value(forKey: "l") as? String }
            let left = (0..<Self.count).filter { $0 % 100 < 70 }
            #expect(Set(lefts) == Set(left.map { "\($0)" }))
            let rights = try context.all("Right", by: "r").map { $0.value(forKey: "r") as? Int64 }
            let right = (0..<Self.count).filter { $0 % 100 >= 70 }
            #expect(rights == right.map { Int64($0) })
            #expect(try context.all("Side").count == Self.count)
        }
    }

    @Test(
        "A file with a table of the name from which rows are read stores many rows",
        arguments: [
            "CREATE TABLE OpenCoreDataNewRows (c0)",
            "CREATE VIRTUAL TABLE OPENCOREDATANEWROWS USING fts4 (c0, c1, c2, c3)",
            "CREATE VIEW opencoredatanewrows AS SELECT 1 AS c0, 2 AS c1, 3 AS c2, 4 AS c3",
        ])
    func foreignTable(_ sql: String) throws {
        let item = NSEntityDescription("Item", attribute("index", .integer64))
        let model = NSManagedObjectModel(of: item)
        let folder = try StoreFolder()
        try folder.make(model)
        try folder.execute(sql)
        try folder.open(model).inContext { context throws in
            for index in 0..<Self.count { try context.insert("Item", ["index": Int64(index)]) }
            try context.save()
        }
        let stored = try folder.rows("SELECT ZINDEX FROM ZITEM ORDER BY ZINDEX").map { $0[0] }
        #expect(stored == (0..<Self.count).map(\.databaseValue))
    }

    @Test("The rows of an earlier run are taken back with a run that the file refuses")
    func refusedRun() throws {
        let (first, second) = (
            NSEntityDescription("First", attribute("index", .integer64)),
            NSEntityDescription("Second", attribute("index", .integer64))
        )
        let model = NSManagedObjectModel(of: first, second)
        let folder = try StoreFolder()
        try folder.make(model)
        try folder.execute("CREATE UNIQUE INDEX ONCE ON ZSECOND (ZINDEX)")
        try folder.open(model).inContext { context throws in
            for index in 0..<100 { try context.insert("First", ["index": Int64(index)]) }
            for index in 0..<100 { try context.insert("Second", ["index": Int64(index % 99)]) }
            _ = try error { try context.save() }
            for table in ["ZFIRST", "ZSECOND"] {
                #expect(try folder.value("SELECT count(*) FROM \(table)") == 0.databaseValue)
            }
        }
    }

    @Test("Links between new objects lead to the keys that the save assigns")
    func links() throws {
        let node = NSEntityDescription("Node", attribute("index", .integer64))
        pair(node.relate("next", to: node), node.relate("previous", to: node))
        let model = NSManagedObjectModel(of: node)
        let folder = try StoreFolder()
        try folder.open(model).inContext { context throws in
            let nodes = try (0..<Self.count).map { try context.insert("Node", ["index": Int64($0)]) }
            for index in 1..<Self.count { nodes[index - 1].setValue(nodes[index], forKey: "next") }
            try context.save()
        }
        try folder.open(model).inContext { context throws in
            var node = try #require(try context.all("Node", by: "index").first)
            for index in 1..<Self.count {
                node = try #require(node.value(forKey: "next") as? NSManagedObject)
                #expect(node.value(forKey: "index") as? Int64 == Int64(index))
            }
        }
    }

    @Test("A store with a spatial index, which takes other virtual tables away, stores many rows")
    func spatialIndexes() throws {
        let place = NSEntityDescription("Place", attribute("x", .double), attribute("y", .double))
        place.indexes = [
            NSFetchIndexDescription(
                name: "area",
                elements: place.properties.map {
                    NSFetchIndexElementDescription(property: $0, collationType: .rTree)
                })
        ]
        let item = NSEntityDescription("Item", attribute("index", .integer64))
        let model = NSManagedObjectModel(of: place, item)
        let folder = try StoreFolder()
        for round in 1...2 {
            try folder.open(model).inContext { context throws in
                for index in 0..<Self.count { try context.insert("Item", ["index": Int64(index)]) }
                for index in 0..<Self.count {
                    try context.insert("Place", ["x": Double(index), "y": 1.0])
                }
                try context.save()
                for name in ["Item", "Place"] {
                    #expect(
                        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: name))
                            == round * Self.count)
                }
            }
        }
    }
}
