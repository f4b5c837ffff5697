import CoreData
import GRDB
import Testing

/// Names and values that would break, or break out of, statements glued together from text.
@Suite struct HostileNameTests {
    private static let names = [
        "select", "Robert'); DROP TABLE ZVICTIM; --", "a\"b", "with space", "Größe", "naïve 🐘", "pk", "ent",
        "opt", "_PK",
        "x`y", "[z]", "semi;colon", "per%cent", "under_score", "\\back", "new\nline", "Ω", "primarykey", "?",
        ":name",
    ]

    /// A model in which everything has one of the names.
    private static func model(_ name: String) -> NSManagedObjectModel {
        let victim = NSEntityDescription("Victim", attribute("text", .string))
        let odd = NSEntityDescription(
            name, attribute("\(name)1", .string), attribute("\(name)2", .integer64),
            attribute(name, .decimal),
            derived("\(name)3", .string, "uppercase:(title)"), attribute("title", .string),
            derived("\(name)c", .integer64, "items.@count"),
            derived("\(name)s", .decimal, "items.amount.@sum"))
        let item = NSEntityDescription(
            "\(name)Item", attribute("amount", .decimal), derived("\(name)t", .string, "owner.title"))
        let one = odd.relate("items", to: item, many: true)
        let other = item.relate("owner", to: odd)
        pair(one, other)
        pair(odd.relate("\(name)A", to: item, many: true), item.relate("\(name)B", to: odd, many: true))
        odd.relate("\(name)V", to: victim)
        let indexed = attribute("\(name)i", .double)
        let second = attribute("\(name)j", .double)
        odd.add(indexed)
        odd.add(second)
        odd.indexes = [
            NSFetchIndexDescription(
                name: name,
                elements: [NSFetchIndexElementDescription(property: indexed, collationType: .binary)]),
            NSFetchIndexDescription(
                name: "\(name)tree",
                elements: [indexed, second].map {
                    NSFetchIndexElementDescription(property: $0, collationType: .rTree)
                }),
        ]
        odd.uniquenessConstraints = [["\(name)1", "\(name)2"]]
        return NSManagedObjectModel(of: victim, odd, item)
    }

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    @Test("Entities, properties and indexes may have hostile names", arguments: names)
    func oddNamesWork(_ name: String) throws {
        let coordinator = try folder.open(Self.model(name))
        let id = try coordinator.inContext { context in
            let victim = try context.insert("Victim", ["text": "alive"])
            let odd = try context.insert(name)
            odd.setValue("text", forKey: "\(name)1")
            odd.setValue(7, forKey: "\(name)2")
            odd.setValue(NSDecimalNumber(string: "1.5"), forKey: name)
            odd.setValue("title", forKey: "title")
            odd.setValue(victim, forKey: "\(name)V")
            odd.setValue(1.0, forKey: "\(name)i")
            odd.setValue(2.0, forKey: "\(name)j")
            let item = try context.insert("\(name)Item", ["amount": 3, "owner": odd])
            odd.setValue(NSSet(object: item), forKey: "\(name)A")
            try context.save()
            #expect(odd.value(forKey: "\(name)3") as? String == "TITLE")
            #expect(odd.value(forKey: "\(name)c") as? Int == 1)
            #expect(odd.value(forKey: "\(name)s") as? Int == 3)
            #expect(item.value(forKey: "\(name)t") as? String == "title")
            odd.setValue("other", forKey: "title")
            try context.save()
            #expect(item.value(forKey: "\(name)t") as? String == "other")
            return odd.objectID
        }
        let uri = id.uriRepresentation()
        try coordinator.close()
        let again = try folder.open(Self.model(name))
        try again.inContext { context in
            let odd = try context.only(name)
            #expect(odd.value(forKey: "\(name)1") as? String == "text")
            #expect(odd.value(forKey: name) as? NSDecimalNumber == NSDecimalNumber(string: "1.5"))
            #expect(
                (odd.value(forKey: "\(name)V") as? NSManagedObject)?.value(forKey: "text") as? String
                    == "alive")
            #expect((odd.value(forKey: "\(name)A") as? NSSet)?.count == 1)
            #expect(again.managedObjectID(forURIRepresentation: uri) == odd.objectID)
            let found = try context.all(
                name, by: "\(name)1",
                where: NSPredicate(format: "%K == %@ AND %K == 7", "\(name)1", "text", "\(name)2"))
            #expect(found == [odd])
            context.delete(odd)
            try context.save()
            let victim = try context.only("Victim")
            #expect(victim.value(forKey: "text") as? String == "alive")
        }
        #expect(try folder.value("SELECT ZTEXT FROM ZVICTIM").description == "\"alive\"")
        #expect(try folder.value("PRAGMA integrity_check").description == "\"ok\"")
    }

    @Test("Hostile values are stored and matched as values", arguments: names)
    func valuesAreBound(_ value: String) throws {
        try folder.open(Self.model("Odd")).inContext { context in
            try context.insert("Victim", ["text": value])
            try context.insert("Victim", ["text": "other"])
            try context.save()
            for format in [
                "text == %@", "text IN {%@}", "text BEGINSWITH %@", "text CONTAINS[cd] %@", "text ==[c] %@",
            ] {
                let found = try context.all("Victim", where: NSPredicate(format: format, value))
                #expect(found.map { $0.value(forKey: "text") as? String } == [value], "\(format)")
            }
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZVICTIM").description == "2")
    }

    @Test("Names that differ only in case are different properties and entities")
    func namesThatDifferInCase() throws {
        let item = NSEntityDescription(
            "Item", attribute("name", .string), attribute("Name", .string), attribute("NAME", .integer16))
        let other = NSEntityDescription("ITEM", attribute("name", .string))
        pair(item.relate("tags", to: other, many: true), other.relate("items", to: item, many: true))
        pair(item.relate("Tags", to: other, many: true), other.relate("Items", to: item, many: true))
        let model = NSManagedObjectModel(of: item, other)
        try folder.open(model).inContext { context in
            let item = try context.insert("Item", ["name": "a", "Name": "b", "NAME": 3])
            let others = try ["x", "y", "z"].map { try context.insert("ITEM", ["name": $0]) }
            item.setValue(NSSet(object: others[0]), forKey: "tags")
            item.setValue(NSSet(array: [others[1], others[2]]), forKey: "Tags")
            try context.save()
        }
        try folder.open(model).inContext { context in
            let item = try context.only("Item")
            #expect(item.value(forKey: "name") as? String == "a")
            #expect(item.value(forKey: "Name") as? String == "b")
            #expect(item.value(forKey: "NAME") as? Int == 3)
            #expect((item.value(forKey: "tags") as? NSSet)?.count == 1)
            #expect((item.value(forKey: "Tags") as? NSSet)?.count == 2)
            #expect(try context.all("ITEM").count == 3)
        }
    }

    @Test(
        "Entities may be named like tables of the format",
        arguments: ["_metadata", "_PrimaryKey", "_1tags", "_ModelCache"])
    func namesOfFormatTables(_ name: String) throws {
        let tag = NSEntityDescription("Tag")
        let odd = NSEntityDescription(name, attribute("text", .string))
        pair(odd.relate("tags", to: tag, many: true), tag.relate("odds", to: odd, many: true))
        let model = NSManagedObjectModel(of: odd, tag)
        try folder.open(model).inContext { context in
            try context.insert(name, ["text": "a", "tags": NSSet(object: try context.insert("Tag"))])
            try context.save()
        }
        try folder.open(model).inContext { context in
            let odd = try context.only(name)
            #expect(odd.value(forKey: "text") as? String == "a")
            #expect((odd.value(forKey: "tags") as? NSSet)?.count == 1)
        }
    }
}
