import CoreData
import Testing

/// Derived attributes over relationships of every shape.
@Suite struct DerivedShapeTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func number(_ object: NSManagedObject, _ key: String) -> Double? {
        (object.value(forKey: key) as? NSNumber)?.doubleValue
    }

    // MARK: Many to many

    private static let notes: NSManagedObjectModel = {
        let note = NSEntityDescription(
            "Note", attribute("size", .integer32), attribute("cost", .decimal),
            derived("tagCount", .integer64, "tags.@count"))
        let tag = NSEntityDescription(
            "Tag", derived("noteCount", .integer64, "notes.@count"),
            derived("size", .integer64, "notes.size.@sum"),
            derived("cost", .decimal, "notes.cost.@sum"))
        pair(note.relate("tags", to: tag, many: true), tag.relate("notes", to: note, many: true))
        return NSManagedObjectModel(of: note, tag)
    }()

    @Test("Counts and sums over a many-to-many relationship follow members, values and deletions")
    func manyToMany() throws {
        try folder.open(Self.notes).inContext { context in
            let tags = try (0..<3).map { _ in try context.insert("Tag") }
            let notes = try (1...3).map {
                try context.insert("Note", ["size": $0, "cost": NSDecimalNumber(string: "0.\($0)")])
            }
            notes[0].setValue(NSSet(array: tags), forKey: "tags")
            tags[0].setValue(NSSet(array: notes), forKey: "notes")
            try context.save()
            #expect(tags.map { number($0, "noteCount") } == [3, 1, 1])
            #expect(tags.map { number($0, "size") } == [6, 1, 1])
            #expect(notes.map { number($0, "tagCount") } == [3, 1, 1])
            #expect(tags[0].value(forKey: "cost") as? NSDecimalNumber == NSDecimalNumber(string: "0.6"))

            notes[0].setValue(10, forKey: "size")
            try context.save()
            #expect(tags.map { number($0, "size") } == [15, 10, 10])

            tags[1].setValue(NSSet(object: notes[1]), forKey: "notes")
            try context.save()
            #expect(tags.map { number($0, "size") } == [15, 2, 10])
            #expect(notes.map { number($0, "tagCount") } == [2, 2, 1])

            context.delete(notes[0])
            try context.save()
            #expect(tags.map { number($0, "noteCount") } == [2, 1, 0])
            #expect(tags.map { number($0, "size") } == [5, 2, 0])
            #expect(tags[0].value(forKey: "cost") as? NSDecimalNumber == NSDecimalNumber(string: "0.5"))

            context.delete(tags[0])
            try context.save()
            #expect([notes[1], notes[2]].map { number($0, "tagCount") } == [1, 0])
        }
        #expect(
            try folder.rows("SELECT ZNOTECOUNT, ZSIZE FROM ZTAG ORDER BY Z_PK").map { $0.map(\.description) }
                == [["1", "2"], ["0", "0"]])
    }

    @Test("Plain SQL on a many-to-many relationship updates its counts and sums")
    func manyToManyByPlainSQL() throws {
        try folder.open(Self.notes).inContext { context in
            try context.insert("Tag")
            try context.insert("Note", ["size": 4])
            try context.save()
        }
        func tag() throws -> [String] {
            try folder.rows("SELECT ZNOTECOUNT, ZSIZE FROM ZTAG")[0].map(\.description)
        }
        try folder.execute("INSERT INTO Z_1TAGS (Z_1NOTES, Z_2TAGS) VALUES (1, 1)")
        #expect(try tag() == ["1", "4"])
        try folder.execute("UPDATE ZNOTE SET ZSIZE = 9")
        #expect(try tag() == ["1", "9"])
        // The note goes before its link.
        try folder.execute("DELETE FROM ZNOTE; DELETE FROM Z_1TAGS")
        #expect(try tag() == ["0", "0"])
    }

    // MARK: Itself

    @Test("Counts and sums are right over a relationship that is its own inverse")
    func relationshipThatIsItsOwnInverse() throws {
        let person = NSEntityDescription(
            "Person", attribute("age", .integer16), derived("friendCount", .integer64, "friends.@count"),
            derived("ages", .integer64, "friends.age.@sum"))
        let friends = person.relate("friends", to: person, many: true)
        pair(friends, friends)
        let coordinator = try folder.open(NSManagedObjectModel(of: person))
        try coordinator.inContext { context in
            let people = try (1...3).map { try context.insert("Person", ["age": $0]) }
            people[0].setValue(NSSet(array: people), forKey: "friends")
            try context.save()
            #expect(people.map { number($0, "friendCount") } == [3, 1, 1])
            #expect(people.map { number($0, "ages") } == [6, 1, 1])
            people[2].setValue(5, forKey: "age")
            try context.save()
            #expect(people.map { number($0, "ages") } == [8, 1, 1])
            people[0].setValue(6, forKey: "age")
            try context.save()
            #expect(people.map { number($0, "ages") } == [13, 6, 6])
            people[2].setValue(NSSet(array: [people[1]]), forKey: "friends")
            try context.save()
            #expect(people.map { number($0, "friendCount") } == [2, 2, 1])
            #expect(people.map { number($0, "ages") } == [8, 11, 2])
            context.delete(people[1])
            try context.save()
            #expect([people[0], people[2]].map { number($0, "friendCount") } == [1, 0])
            #expect([people[0], people[2]].map { number($0, "ages") } == [6, 0])
        }
    }

    @Test("Counts, sums and copies are right in a tree of one entity")
    func tree() throws {
        let item = NSEntityDescription(
            "Item", attribute("name", .string), attribute("size", .decimal),
            derived("childCount", .integer64, "children.@count"),
            derived("childSize", .decimal, "children.size.@sum"),
            derived("parentName", .string, "parent.name"))
        pair(item.relate("children", to: item, many: true), item.relate("parent", to: item))
        try folder.open(NSManagedObjectModel(of: item)).inContext { context in
            let root = try context.insert("Item", ["name": "root", "size": 1])
            let middle = try context.insert("Item", ["name": "middle", "size": 2, "parent": root])
            let leaf = try context.insert("Item", ["name": "leaf", "size": 3, "parent": middle])
            try context.save()
            #expect([root, middle, leaf].map { number($0, "childCount") } == [1, 1, 0])
            #expect([root, middle, leaf].map { number($0, "childSize") } == [2, 3, 0])
            root.setValue("top", forKey: "name")
            leaf.setValue(root, forKey: "parent")
            leaf.setValue(5, forKey: "size")
            try context.save()
            #expect([root, middle, leaf].map { number($0, "childSize") } == [7, 0, 0])
            #expect([middle, leaf].map { $0.value(forKey: "parentName") as? String } == ["top", "top"])
        }
    }

    // MARK: Other shapes

    @Test("Counts and sums are right over a to-many relationship without an inverse")
    func toManyWithoutInverse() throws {
        let part = NSEntityDescription("Part", attribute("weight", .double))
        let whole = NSEntityDescription(
            "Whole", derived("count", .integer64, "parts.@count"),
            derived("weight", .double, "parts.weight.@sum"))
        whole.relate("parts", to: part, many: true)
        try folder.open(NSManagedObjectModel(of: whole, part)).inContext { context in
            let parts = try [1.5, 2].map { try context.insert("Part", ["weight": $0]) }
            let whole = try context.insert("Whole", ["parts": NSSet(array: parts)])
            try context.save()
            #expect(number(whole, "count") == 2)
            #expect(number(whole, "weight") == 3.5)
            whole.setValue(NSSet(object: parts[1]), forKey: "parts")
            try context.save()
            #expect(number(whole, "count") == 1)
            #expect(number(whole, "weight") == 2)
            parts[1].setValue(7.0, forKey: "weight")
            try context.save()
            #expect(number(whole, "weight") == 7)
        }
    }

    @Test("A count over an ordered relationship follows its members")
    func orderedRelationships() throws {
        let page = NSEntityDescription("Page")
        let book = NSEntityDescription("Book", derived("count", .integer64, "pages.@count"))
        pair(book.relate("pages", to: page, many: true, ordered: true), page.relate("book", to: book))
        try folder.open(NSManagedObjectModel(of: book, page)).inContext { context in
            let pages = try (0..<4).map { _ in try context.insert("Page") }
            let book = try context.insert("Book", ["pages": NSOrderedSet(array: pages)])
            try context.save()
            #expect(number(book, "count") == 4)
            book.setValue(NSOrderedSet(array: [pages[3], pages[0]]), forKey: "pages")
            try context.save()
            #expect(number(book, "count") == 2)
        }
    }

    /// Two entities in one table have an attribute of one name, and only one of them derives it.
    @Test("A derived attribute of one subentity leaves its sibling's attribute of that name alone")
    func subentitiesOfOneRoot() throws {
        let shelf = NSEntityDescription("Shelf", attribute("name", .string))
        let box = NSEntityDescription(
            "Box", derived("count", .integer64, "things.@count"), derived("place", .string, "shelf.name"),
            derived("changed", .date, "now()"))
        let bag = NSEntityDescription("Bag", attribute("count", .integer64), attribute("place", .string))
        let container = NSEntityDescription(
            "Container", derived("NAME", .string, "uppercase:(name)"), attribute("name", .string),
            subentities: [box, bag])
        let thing = NSEntityDescription("Thing")
        pair(container.relate("things", to: thing, many: true), thing.relate("container", to: container))
        container.relate("shelf", to: shelf)
        let model = NSManagedObjectModel(of: shelf, container, box, bag, thing)
        let coordinator = try folder.open(model)
        try coordinator.inContext { context in
            let shelf = try context.insert("Shelf", ["name": "top"])
            let box = try context.insert("Box", ["name": "box", "shelf": shelf])
            let bag = try context.insert(
                "Bag", ["name": "bag", "shelf": shelf, "count": 77, "place": "here"])
            for container in [box, bag, bag] { try context.insert("Thing", ["container": container]) }
            try context.save()
            for object in [box, bag] { context.refresh(object, mergeChanges: false) }
            #expect(number(box, "count") == 1)
            #expect(number(bag, "count") == 77)
            #expect(box.value(forKey: "place") as? String == "top")
            #expect(bag.value(forKey: "place") as? String == "here")
            #expect(bag.value(forKey: "NAME") as? String == "BAG")
            #expect(box.value(forKey: "changed") is Date)
            shelf.setValue("bottom", forKey: "name")
            bag.setValue("sack", forKey: "name")
            try context.save()
            #expect(box.value(forKey: "place") as? String == "bottom")
            #expect(bag.value(forKey: "place") as? String == "here")
            #expect(bag.value(forKey: "NAME") as? String == "SACK")
        }
        #expect(
            try folder.rows(
                "SELECT ZCOUNT, ZCOUNT1, ZPLACE, ZPLACE1, ZCHANGED IS NULL FROM ZCONTAINER ORDER BY Z_PK"
            )
            .map { $0.map(\.description) } == [
                ["NULL", "1", "NULL", "\"bottom\"", "0"], ["77", "NULL", "\"here\"", "NULL", "1"],
            ])
    }

    @Test("An attribute may be derived from a derived attribute of the destination")
    func derivedFromDerived() throws {
        let list = NSEntityDescription(
            "List", attribute("name", .string), derived("NAME", .string, "uppercase:(name)"),
            derived("count", .integer64, "items.@count"))
        let item = NSEntityDescription(
            "Item", derived("LISTNAME", .string, "list.NAME"), derived("siblings", .integer64, "list.count"))
        pair(list.relate("items", to: item, many: true), item.relate("list", to: list))
        try folder.open(NSManagedObjectModel(of: list, item)).inContext { context in
            let list = try context.insert("List", ["name": "work"])
            let item = try context.insert("Item", ["list": list])
            try context.save()
            #expect(item.value(forKey: "LISTNAME") as? String == "WORK")
            list.setValue("home", forKey: "name")
            try context.insert("Item", ["list": list])
            try context.save()
            #expect(item.value(forKey: "LISTNAME") as? String == "HOME")
            #expect(number(item, "siblings") == 2)
        }
    }

    @Test(
        "Minimum, maximum and average of destinations leave out deleted objects",
        arguments: [("@min", "1.5"), ("@max", "4"), ("@avg", "2.75")])
    func otherAggregates(_ name: String, _ expected: String) throws {
        let owner = NSEntityDescription("Owner", derived("value", .decimal, "parts.price.\(name)"))
        let part = NSEntityDescription("Part", attribute("price", .decimal))
        pair(owner.relate("parts", to: part, many: true), part.relate("owner", to: owner))
        try folder.open(NSManagedObjectModel(of: owner, part)).inContext { context in
            let owner = try context.insert("Owner")
            let parts = try ["1.5", "4", "100"].map {
                try context.insert("Part", ["owner": owner, "price": NSDecimalNumber(string: $0)])
            }
            try context.save()
            context.delete(parts[2])
            try context.save()
            #expect(owner.value(forKey: "value") as? NSDecimalNumber == NSDecimalNumber(string: expected))
        }
    }
}
