import CoreData
import Testing

/// Results that read properties of related objects which accessors of their class set or make of others, or which are reached
/// over unsaved links.
@Suite struct ResultKeyPathTests {
    final class Shelving: NSManagedObject {
        override class var managedProperties: [ManagedProperty] {
            [.custom("label", \Shelving.label), .custom("heading", \Shelving.heading)]
        }

        /// Setting the label sets the place too.
        var label: String? {
            get { primitiveValue(forKey: "label") as? String }
            set {
                willChangeValue(forKey: "label")
                setPrimitiveValue(newValue, forKey: "label")
                didChangeValue(forKey: "label")
                setPrimitiveValue(newValue.map { String($0.reversed()) }, forKey: "place")
            }
        }

        /// What is stored, or else made of the colour.
        var heading: String? {
            primitiveValue(forKey: "heading") as? String ?? (value(forKey: "colour") as? String)?.uppercased()
        }
    }

    private let folder: StoreFolder
    private let context: NSManagedObjectContext
    private let diary = ResultsLog()

    init() throws {
        let shelving = NSEntityDescription.make(
            "Shelving", class: Shelving.self,
            ["label", "place", "heading", "colour"].map { Library.attribute($0, .string) })
        let volume = NSEntityDescription.make("Volume", [Library.attribute("title", .string)])
        pair(volume.relate("shelf", to: shelving), shelving.relate("volumes", to: volume, many: true))
        folder = try StoreFolder()
        context = try folder.open(.of(shelving, volume)).context()
        try context.performAndWait {
            for (title, label) in [("a", "xa"), ("b", "xb"), ("c", "xc")] {
                let shelf = try context.insert("Shelving", ["label": label, "colour": label])
                try context.insert("Volume", ["title": title, "shelf": shelf])
            }
            try context.save()
        }
    }

    private func controller(
        by key: String, sections: String? = nil
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Volume")
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil
        )
        controller.delegate = diary
        try controller.performFetch()
        return controller
    }

    private func shelf(_ title: String) throws -> NSManagedObject {
        let volume = try context.all("Volume", where: NSPredicate(format: "title == %@", title))[0]
        return try #require(volume.one("shelf"))
    }

    @Test("A setter that changes another property moves its object")
    func setterOfAnotherProperty() throws {
        try context.performAndWait {
            let controller = try controller(by: "shelf.place")
            #expect(controller.titles == [["a", "b", "c"]])
            try shelf("a").setValue("xz", forKey: "label")
            context.processPendingChanges()
            #expect(controller.titles == [["b", "c", "a"]])
            #expect(diary.take() == ["will", "move a 0.0 0.2", "did"])
        }
    }

    @Test("A getter computed from other properties changes sections")
    func getterOfOtherProperties() throws {
        try context.performAndWait {
            let controller = try controller(by: "title", sections: "shelf.heading")
            #expect(controller.sections?.map(\.name) == ["XA", "XB", "XC"])
            try shelf("b").setValue("xa", forKey: "colour")
            context.processPendingChanges()
            #expect(controller.sections?.map(\.name) == ["XA", "XC"])
            #expect(controller.titles == [["a", "b"], ["c"]])
        }
    }

    @Test("A controller sorts over an unsaved relationship on the key path")
    func unsavedRelationshipOnThePath() throws {
        let diary = try HookStack()
        let entries = try ["g", "h", "p", "q", "a", "b"].map { try diary.savedEntry($0) }
        try diary.event { context in
            for (child, parent) in [(2, 0), (3, 1), (4, 2), (5, 3)] {
                entries[child].parent = entries[parent]
            }
            try context.save()
            let request = NSFetchRequest<Entry>(entityName: "Entry")
            request.predicate = NSPredicate(format: "parent.parent != nil")
            request.sortDescriptors = [NSSortDescriptor(key: "parent.parent.title", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            controller.delegate = self.diary
            try controller.performFetch()
            #expect(controller.titles == [["a", "b"]])
            // "a" is found over the parent of "p", which no row has yet.
            let new = Entry(context: context)
            new.title = "c"
            entries[2].parent = new
            context.processPendingChanges()
            #expect(controller.titles == [["a", "b"]])
            new.title = "z"
            context.processPendingChanges()
            #expect(controller.titles == [["b", "a"]])
            #expect(try context.fetch(request) == [entries[5], entries[4]])
        }
    }
}
