import CoreData
import Testing

/// Sections by a transient attribute that is computed from a date when it is read.
@Suite struct MonthSectionTests {
    final class MonthEvent: NSManagedObject {
        override class var managedProperties: [ManagedProperty] {
            [
                .custom("timeStamp", \MonthEvent.timeStamp),
                .custom("sectionIdentifier", \MonthEvent.sectionIdentifier),
            ]
        }

        /// Setting the date forgets the section.
        var timeStamp: Date? {
            get {
                willAccessValue(forKey: "timeStamp")
                defer { didAccessValue(forKey: "timeStamp") }
                return primitiveValue(forKey: "timeStamp") as? Date
            }
            set {
                willChangeValue(forKey: "timeStamp")
                setPrimitiveValue(newValue, forKey: "timeStamp")
                didChangeValue(forKey: "timeStamp")
                setPrimitiveValue(nil, forKey: "sectionIdentifier")
            }
        }

        /// The year times 1000 and the month.
        var sectionIdentifier: String? {
            willAccessValue(forKey: "sectionIdentifier")
            let kept = primitiveValue(forKey: "sectionIdentifier") as? String
            didAccessValue(forKey: "sectionIdentifier")
            if let kept { return kept }
            guard let timeStamp else { return nil }
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let parts = calendar.dateComponents([.year, .month], from: timeStamp)
            let made = "\((parts.year ?? 0) * 1000 + (parts.month ?? 0))"
            setPrimitiveValue(made, forKey: "sectionIdentifier")
            return made
        }
    }

    private static func day(_ number: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(number) * 86400)
    }

    private let folder: StoreFolder
    private let context: NSManagedObjectContext
    private let controller: NSFetchedResultsController<MonthEvent>
    private let diary = ResultsLog()

    init() throws {
        let model = NSManagedObjectModel.of(
            .make(
                "MonthEvent", class: MonthEvent.self,
                [
                    Library.attribute("title", .string), Library.attribute("timeStamp", .date),
                    Library.transient("sectionIdentifier", .string),
                ]))
        folder = try StoreFolder()
        context = try folder.open(model).context()
        let request = NSFetchRequest<MonthEvent>(entityName: "MonthEvent")
        request.sortDescriptors = [NSSortDescriptor(key: "timeStamp", ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "sectionIdentifier",
            cacheName: nil)
        controller.delegate = diary
        try context.performAndWait {
            for (title, day) in [("a", 0), ("b", 30), ("c", 31), ("d", 70)] {
                try context.insert("MonthEvent", ["title": title, "timeStamp": Self.day(day)])
            }
            try context.save()
            context.reset()
            try controller.performFetch()
        }
    }

    @Test("A transient attribute computed from a date makes sections")
    func sectionsByMonth() {
        context.performAndWait {
            #expect(controller.sections?.map(\.name) == ["2001001", "2001002", "2001003"])
            #expect(controller.titles == [["a", "b"], ["c"], ["d"]])
        }
    }

    @Test("A changed date moves its object to another section")
    func changedDateMovesTheSection() throws {
        context.performAndWait {
            let event = controller.object(at: IndexPath(item: 0, section: 1))
            event.timeStamp = Self.day(1)
            context.processPendingChanges()
            #expect(diary.take() == ["will", "delete section 2001002 1", "move c 1.0 0.1", "did"])
            #expect(controller.titles == [["a", "c", "b"], ["d"]])
        }
    }

    @Test("A date of a new month makes a new section")
    func newMonthIsANewSection() throws {
        try context.performAndWait {
            try context.insert("MonthEvent", ["title": "e", "timeStamp": Self.day(95)])
            context.processPendingChanges()
            #expect(diary.take() == ["will", "insert section 2001004 3", "insert e - 3.0", "did"])
        }
    }
}
