import CoreData
import Testing

/// Copies of values over to-one relationships, and texts in another form: old before the save, new right after it.
@Suite struct DerivedCopyTests {
    private static let model: NSManagedObjectModel = {
        let house = NSEntityDescription(
            "House", attribute("city", .string), derived("CITY", .string, "uppercase:(city)"))
        let list = NSEntityDescription("List", attribute("name", .string), attribute("rank", .decimal))
        let item = NSEntityDescription(
            "Item", attribute("title", .string), derived("listName", .string, "list.name"),
            derived("listRank", .decimal, "list.rank"), derived("city", .string, "list.house.city"),
            derived("shouted", .string, "uppercase:(title)"),
            derived("whispered", .string, "lowercase:(title)"),
            derived("plain", .string, "canonical:(title)"),
            derived("plainList", .string, "canonical:(list.name)"),
            derived("copy", .string, "title"))
        pair(list.relate("items", to: item, many: true), item.relate("list", to: list))
        pair(house.relate("lists", to: list, many: true), list.relate("house", to: house))
        return NSManagedObjectModel(of: house, list, item)
    }()

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(Self.model)
    }

    private func text(_ object: NSManagedObject, _ key: String) -> String? {
        object.value(forKey: key) as? String
    }

    @Test("A derived attribute copies the value of a to-one destination at a save")
    func toOneValueIsCopied() throws {
        try coordinator.inContext { context in
            let list = try context.insert("List", ["name": "Shopping"])
            let item = try context.insert("Item", ["list": list])
            #expect(text(item, "listName") == nil)
            try context.save()
            #expect(text(item, "listName") == "Shopping")
            #expect(!context.hasChanges)
            #expect(try folder.stored("ZLISTNAME", in: "ZITEM") == ["text 'Shopping'"])

            let other = try context.insert("List", ["name": "Work", "rank": NSDecimalNumber(string: "1.5")])
            item.setValue(other, forKey: "list")
            #expect(text(item, "listName") == "Shopping")
            try context.save()
            #expect(text(item, "listName") == "Work")
            #expect(item.value(forKey: "listRank") as? NSDecimalNumber == NSDecimalNumber(string: "1.5"))

            item.setValue(nil, forKey: "list")
            try context.save()
            #expect(text(item, "listName") == nil)
            #expect(try folder.stored("ZLISTNAME", in: "ZITEM") == ["null NULL"])
        }
    }

    @Test("A change of the destination's value changes the copies in the same save")
    func changedDestinationIsCopied() throws {
        try coordinator.inContext { context in
            let list = try context.insert("List", ["name": "Shopping"])
            let items = try (0..<3).map { try context.insert("Item", ["list": list, "title": "\($0)"]) }
            try context.save()
            list.setValue("Errands", forKey: "name")
            #expect(items.map { text($0, "listName") } == ["Shopping", "Shopping", "Shopping"])
            try context.save()
            #expect(items.map { text($0, "listName") } == ["Errands", "Errands", "Errands"])
            #expect(items.map { text($0, "plainList") } == ["errands", "errands", "errands"])
            #expect(!context.hasChanges)
            #expect(items.allSatisfy { $0.changedValues().isEmpty })
        }
    }

    @Test("A derived attribute copies a value over two to-one relationships")
    func valueOverTwoRelationshipsIsCopied() throws {
        try coordinator.inContext { context in
            let house = try context.insert("House", ["city": "Rom"])
            let list = try context.insert("List", ["house": house])
            let item = try context.insert("Item", ["list": list])
            let stray = try context.insert("Item")
            try context.save()
            #expect(text(item, "city") == "Rom")
            #expect(text(stray, "city") == nil)
            house.setValue("Köln", forKey: "city")
            try context.save()
            #expect(text(item, "city") == "Köln")
            list.setValue(try context.insert("House", ["city": "Oslo"]), forKey: "house")
            try context.save()
            #expect(text(item, "city") == "Oslo")
            stray.setValue(list, forKey: "list")
            try context.save()
            #expect(text(stray, "city") == "Oslo")
            context.delete(house)
            try context.save()
            #expect(text(item, "city") == "Oslo")
        }
        #expect(
            try folder.rows("SELECT ZCITY FROM ZITEM").map { $0[0].description } == ["\"Oslo\"", "\"Oslo\""])
    }

    @Test("Deleting the destination sets the copied value to nil")
    func deletedDestinationClearsTheCopy() throws {
        try coordinator.inContext { context in
            let list = try context.insert("List", ["name": "Shopping"])
            let item = try context.insert("Item", ["list": list])
            try context.save()
            context.delete(list)
            try context.save()
            #expect(item.value(forKey: "list") == nil)
            #expect(text(item, "listName") == nil)
        }
    }

    @Test(
        "Derived strings are uppercase, lowercase and canonical forms of their source",
        arguments: [
            ("Ünïçödé Straße", "ÜNÏÇÖDÉ STRASSE", "ünïçödé straße", "unicode strasse"),
            ("Αθήνα", "ΑΘΉΝΑ", "αθήνα", "αθηνα"), ("ﬁn", "FIN", "ﬁn", "fin"), ("", "", "", ""),
            ("a\0B", "A\0B", "a\0b", "a\0b"), ("İ", "İ", "i̇", "i"),
        ])
    func stringsAreTransformed(_ title: String, _ upper: String, _ lower: String, _ plain: String) throws {
        try coordinator.inContext { context in
            let item = try context.insert("Item", ["title": title])
            #expect(text(item, "shouted") == nil)
            try context.save()
            #expect(text(item, "shouted").map { Array($0.utf8) } == Array(upper.utf8))
            #expect(text(item, "whispered").map { Array($0.utf8) } == Array(lower.utf8))
            #expect(text(item, "plain").map { Array($0.utf8) } == Array(plain.utf8))
            #expect(text(item, "copy").map { Array($0.utf8) } == Array(title.utf8))
        }
        #expect(
            try folder.value("SELECT CAST(ZSHOUTED AS BLOB) FROM ZITEM") == Data(upper.utf8).databaseValue)
        #expect(try folder.value("SELECT CAST(ZCOPY AS BLOB) FROM ZITEM") == Data(title.utf8).databaseValue)
    }

    @Test("A context that merges a save has the new derived value and no changes")
    func mergedContextHasTheNewValue() throws {
        let (first, second) = (coordinator.context(), coordinator.context())
        second.performAndWait { second.automaticallyMergesChangesFromParent = true }
        let id = try first.performAndWait {
            let list = try first.insert("List", ["name": "Shopping"])
            let item = try first.insert("Item", ["list": list])
            try first.save()
            return item.objectID
        }
        let there = try second.performAndWait { try second.existingObject(with: id) }
        nonisolated(unsafe) let item = there
        second.performAndWait { #expect(text(item, "listName") == "Shopping") }
        try first.performAndWait {
            try first.only("List").setValue("Errands", forKey: "name")
            try first.save()
        }
        second.performAndWait {
            #expect(text(item, "listName") == "Errands")
            #expect(!item.hasChanges)
        }
    }

    @Test("A save refreshes a copied value that another context changed meanwhile")
    func saveReadsTheCurrentValue() throws {
        try coordinator.inContext { context in
            let list = try context.insert("List", ["name": "Shopping"])
            let item = try context.insert("Item", ["list": list])
            try context.save()
            try coordinator.inContext { other in
                try other.only("List").setValue("Errands", forKey: "name")
                try other.save()
            }
            #expect(text(item, "listName") == "Shopping")
            item.setValue("Milk", forKey: "title")
            try context.save()
            #expect(text(item, "listName") == "Errands")
        }
        try coordinator.inContext { context in
            let item = try context.only("Item")
            #expect(text(item, "listName") == "Errands")
        }
    }

    @Test("An update by plain SQL updates the derived values")
    func plainSQLUpdatesDerivedValues() throws {
        try coordinator.inContext { context in
            let list = try context.insert("List", ["name": "Shopping"])
            let item = try context.insert("Item", ["list": list])
            try context.save()
            try folder.execute("UPDATE ZLIST SET ZRANK = 7")
            context.refresh(item, mergeChanges: true)
            #expect(item.value(forKey: "listRank") as? NSDecimalNumber == 7)
        }
    }

    @Test("A fetch filters and sorts by a derived attribute")
    func fetchByDerivedValue() throws {
        try coordinator.inContext { context in
            for title in ["Émile", "Zola", "eclair"] { try context.insert("Item", ["title": title]) }
            try context.save()
            let found = try context.all(
                "Item", by: "plain", where: NSPredicate(format: "plain BEGINSWITH 'e'"))
            #expect(found.map { text($0, "title") } == ["eclair", "Émile"])
        }
    }
}
