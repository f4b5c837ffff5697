import CoreData
import Testing

/// Composite attributes: a column an element, a dictionary in the object.
@Suite struct CompositeTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription(
            "Place", attribute("name", .string),
            composite(
                "position", attribute("latitude", .double), attribute("longitude", .double),
                composite("source", attribute("kind", .string), attribute("taken", .date))),
            composite("home", attribute("name", .string))))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    @Test("Each element of a composite attribute has a column")
    func elementsAreColumns() throws {
        try folder.make(Self.model)
        let columns = try folder.rows("SELECT name, type FROM pragma_table_info('ZPLACE')")
            .map { $0.map { String.fromDatabaseValue($0) ?? "" }.joined(separator: " ") }
        #expect(
            columns == [
                "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZLATITUDE FLOAT", "ZLONGITUDE FLOAT",
                "ZTAKEN TIMESTAMP", "ZNAME VARCHAR", "ZNAME1 VARCHAR", "ZKIND VARCHAR",
            ])
    }

    @Test("Elements of a composite attribute are stored in their declared order")
    func elementsInDeclaredOrder() throws {
        let model = NSManagedObjectModel(
            of: NSEntityDescription(
                "Tag", attribute("identifier", .uuid), attribute("a", .string), attribute("z", .string),
                composite(
                    "m", attribute("y", .string), attribute("b", .string), attribute("identifier", .uuid))))
        try folder.make(model)
        let columns = try folder.rows("SELECT name FROM pragma_table_info('ZTAG')")
            .map { String.fromDatabaseValue($0[0]) ?? "" }
        #expect(
            columns == ["Z_PK", "Z_ENT", "Z_OPT", "ZA", "ZY", "ZB", "ZZ", "ZIDENTIFIER", "ZIDENTIFIER1"])
        try folder.open(model).inContext { context in
            try context.insert("Tag", ["a": "own", "m": ["y": "element"]])
            try context.save()
        }
        #expect(try folder.stored("ZA", "ZY", in: "ZTAG") == ["text 'own'", "text 'element'"])
    }

    @Test("Values of composite attributes are stored and read again")
    func valuesAreRead() throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            let place = try context.insert("Place", ["name": "Hut"])
            place.setValue(
                ["latitude": 47.5, "source": ["kind": "map"] as [String: Any]] as [String: Any],
                forKey: "position")
            place.setValue(["name": "Alp"], forKey: "home")
            try context.save()
        }
        let names = try folder.rows(
            "SELECT ZLATITUDE, ZLONGITUDE, ZKIND, ZTAKEN, ZNAME1 || '/' || ZNAME FROM ZPLACE")[0]
        #expect(names.map(\.description) == ["47.5", "NULL", "\"map\"", "NULL", "\"Hut/Alp\""])
        try folder.open(Self.model).inContext { context in
            let place = try context.only("Place")
            let position = try #require(place.value(forKey: "position") as? [String: Any])
            #expect(position.keys.sorted() == ["latitude", "source"])
            #expect(position["latitude"] as? Double == 47.5)
            #expect((position["source"] as? [String: Any])?["kind"] as? String == "map")
            #expect((place.value(forKey: "home") as? [String: Any])?["name"] as? String == "Alp")
            #expect(place.value(forKeyPath: "position.latitude") as? Double == 47.5)
        }
    }

    @Test("Setting a composite attribute replaces all of its elements")
    func replacedComposite() throws {
        try folder.open(Self.model).inContext { context in
            let place = try context.insert("Place", ["position": ["latitude": 1.0, "longitude": 2.0]])
            try context.save()
            place.setValue(["latitude": 3.0], forKey: "position")
            #expect(place.changedValues().keys.sorted() == ["position"])
            try context.save()
            #expect(!place.hasChanges)
            #expect((place.value(forKey: "position") as? [String: Any])?.keys.sorted() == ["latitude"])
        }
        #expect(try folder.stored("ZLATITUDE", "ZLONGITUDE", in: "ZPLACE") == ["real 3.0", "null NULL"])
    }

    @Test("Setting an equal composite value is not a persistent change")
    func equalValueIsNotAChange() throws {
        try folder.open(Self.model).inContext { context in
            let position: [String: Any] = ["latitude": 1.0, "source": ["kind": "map"] as [String: Any]]
            let place = try context.insert("Place", ["position": position])
            try context.save()
            place.setValue(position, forKey: "position")
            #expect(place.isUpdated && !place.hasPersistentChangedValues)
            place.setValue("renamed", forKey: "name")
            #expect(place.changedValues().keys.sorted() == ["name"])
            try context.save()
            place.setValue(["latitude": 1.0, "source": ["kind": "sea"]] as [String: Any], forKey: "position")
            #expect(place.changedValues().keys.sorted() == ["position"])
        }
    }

    @Test("Setting a composite attribute to nil clears every element")
    func nilClearsEveryElement() throws {
        try folder.open(Self.model).inContext { context in
            let place = try context.insert(
                "Place", ["position": ["latitude": 1.0, "source": ["kind": "map"]] as [String: Any]])
            try context.save()
            place.setValue(nil, forKey: "position")
            #expect(place.hasPersistentChangedValues)
            try context.save()
            #expect(place.value(forKey: "position") == nil)
        }
        #expect(try folder.stored("ZLATITUDE", "ZKIND", in: "ZPLACE") == ["null NULL", "null NULL"])
    }

    @Test("Changing another attribute keeps the elements")
    func otherChangesKeepElements() throws {
        try folder.open(Self.model).inContext { context in
            try context.insert("Place", ["position": ["latitude": 1.0]])
            try context.save()
        }
        try folder.open(Self.model).inContext { context in
            let place = try context.only("Place")
            place.setValue("Peak", forKey: "name")
            try context.save()
            #expect((place.value(forKey: "position") as? [String: Any])?["latitude"] as? Double == 1)
        }
        #expect(try folder.stored("ZLATITUDE", "ZNAME1", in: "ZPLACE") == ["real 1.0", "text 'Peak'"])
    }

    @Test("Unknown and wrong elements are refused")
    func invalidElements() throws {
        try folder.open(Self.model).inContext { context in
            let place = try context.insert("Place")
            for bad in [["height": 3.0] as [String: Any], ["latitude": "north"]] {
                let refusal = try error { try place.setValue(checking: bad, forKey: "position") }
                #expect(refusal.code == 1550)
                #expect(refusal.localizedDescription.contains("position"))
            }
        }
    }

    @Test("A fetch filters and sorts by an element")
    func elementsInRequests() throws {
        try folder.open(Self.model).inContext { context in
            for latitude in [3.0, 1, 2] { try context.insert("Place", ["position": ["latitude": latitude]]) }
            try context.save()
            let positions = try context.all(
                "Place", by: "position.latitude", where: NSPredicate(format: "position.latitude > 1"))
            #expect(
                positions.map { ($0.value(forKey: "position") as? [String: Any])?["latitude"] as? Double }
                    == [
                        2, 3,
                    ])
        }
    }
}
