import CoreData
import Testing

/// Sections that keep their names and get another place among the others.
@Suite struct MovedSectionTests {
    private let folder: StoreFolder
    private let context: NSManagedObjectContext
    private let mirror = ResultsMirror()
    private let diary = ResultsLog()
    /// By their titles; a fetch would end the event.
    private let things: [String: NSManagedObject]

    /// Things in categories, whose numbers order both.
    init() throws {
        let category = NSEntityDescription.make(
            "Category", [Library.attribute("name", .string), Library.attribute("order", .integer32)])
        let thing = NSEntityDescription.make(
            "Thing",
            [
                Library.attribute("title", .string), Library.attribute("label", .string),
                Library.attribute("order", .integer32),
            ])
        pair(thing.relate("category", to: category), category.relate("things", to: thing, many: true))
        folder = try StoreFolder()
        context = try folder.open(.of(category, thing)).context()
        let context = context
        things = try context.performAndWait {
            var things: [String: NSManagedObject] = [:]
            for (number, name) in ["A", "B", "C"].enumerated() {
                let category = try context.insert("Category", ["name": name, "order": number])
                for title in number == 0 ? ["a1", "a2"] : [name.lowercased() + "1"] {
                    things[title] = try context.insert(
                        "Thing",
                        ["title": title, "label": name, "order": number, "category": category]
                            as [String: Any])
                }
            }
            try context.save()
            return things
        }
    }

    private func thing(_ title: String) throws -> NSManagedObject { try #require(things[title]) }

    /// The reports of a change that one delegate gets, while another delegate updates a list by them.
    private func reports(
        by keys: String..., sections: String, limit: Int = 0, _ body: () throws -> Void
    ) throws -> [String] {
        func controller(
            _ delegate: any NSFetchedResultsControllerDelegate
        ) throws -> NSFetchedResultsController<NSManagedObject> {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
            request.fetchLimit = limit
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections,
                cacheName: nil)
            controller.delegate = delegate
            try controller.performFetch()
            return controller
        }
        return try context.performAndWait {
            let (noted, mirrored) = (try controller(diary), try controller(mirror))
            mirror.begin(mirrored)
            try body()
            context.processPendingChanges()
            #expect(mirror.sections == ResultsMirror.content(noted) && mirror.reports == 1)
            #expect(noted.fetchedObjects == (try context.fetch(noted.fetchRequest)))
            return diary.take()
        }
    }

    @Test("A section whose only member moves to the end moves with it")
    func onlyMemberMovesItsSection() throws {
        let reported = try reports(by: "order", "title", sections: "label") {
            context.delete(try thing("a2"))
            context.processPendingChanges()
            #expect(diary.take().count == 3 && mirror.reports == 1)
            mirror.forgetReports()
            try thing("a1").setValue(9, forKey: "order")
        }
        #expect(reported == ["will", "delete section A 0", "insert section A 2", "move a1 0.0 2.0", "did"])
    }

    @Test("A section whose member moves to the front moves with it")
    func sectionMovesForward() throws {
        let reported = try reports(by: "order", "title", sections: "label") {
            try thing("c1").setValue(-1, forKey: "order")
        }
        #expect(reported == ["will", "delete section C 2", "insert section C 0", "move c1 2.0 0.0", "did"])
    }

    @Test("A change of a related object moves a section with several members")
    func relatedObjectMovesASection() throws {
        let reported = try reports(by: "category.order", "title", sections: "category.name") {
            try #require(try thing("a1").one("category")).setValue(9, forKey: "order")
        }
        #expect(
            reported == [
                "will", "delete section A 0", "insert section A 2", "move a1 0.0 2.0", "move a2 0.1 2.1",
                "did",
            ])
    }

    @Test("As few sections as possible are reported as moved")
    func fewestSectionsMove() throws {
        // From A B C to B C A, each of whose members has changed.
        let reported = try reports(by: "category.order", "title", sections: "category.name") {
            for (title, order) in [("a1", 30), ("b1", 10), ("c1", 20)] {
                try #require(try thing(title).one("category")).setValue(order, forKey: "order")
            }
        }
        #expect(
            reported == [
                "will", "delete section A 0", "insert section A 2", "move a1 0.0 2.0", "move a2 0.1 2.1",
                "did",
            ])
    }

    @Test("A section moves while others are inserted and deleted")
    func besideInsertedAndDeletedSections() throws {
        // From A B C to D C A. Either of C and A can stay.
        let reported = try reports(by: "order", "title", sections: "label") {
            context.delete(try thing("b1"))
            for title in ["a1", "a2"] { try thing(title).setValue(9, forKey: "order") }
            try thing("c1").setValue("c", forKey: "title")
            try context.insert("Thing", ["title": "d", "label": "D", "order": 0] as [String: Any])
        }
        #expect(
            reported == [
                "will", "delete section B 1", "delete section C 2", "insert section D 0",
                "insert section C 1",
                "delete b1 1.0 -", "insert d - 0.0", "move c 2.0 1.0", "update a1 0.0 2.0",
                "update a2 0.1 2.1",
                "did",
            ])
    }

    @Test("A section moves in results with a limit")
    func sectionMovesInAWindow() throws {
        let reported = try reports(by: "order", "title", sections: "label", limit: 3) {
            for title in ["a1", "a2"] { try thing(title).setValue(1, forKey: "order") }
            try thing("b1").setValue(0, forKey: "order")
        }
        #expect(reported.filter { $0.contains("section") }.count == 2)
    }
}
