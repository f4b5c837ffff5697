import CoreData
import SharedModel
import Testing

/// Tests of code that an app and a server share: they run on both sides.
@MainActor @Suite struct JournalTests {
    private let folder: Folder
    private let journal: Journal
    private var context: NSManagedObjectContext { journal.container.viewContext }

    init() throws {
        folder = try Folder()
        journal = try Journal(storeAt: folder.url.appendingPathComponent("Journal.sqlite"))
    }

    @Test("The cost of a trip is the sum of its nights")
    func cost() throws {
        let trip = Trip("Alps", in: context)
        trip.addStop("Bern", nights: 2, costPerNight: 95.5)
        trip.addStop("Zermatt", nights: 3, costPerNight: 120)
        try context.save()
        #expect(trip.cost == 551)
    }

    @Test("Upcoming trips are sorted by date, without past and undated ones")
    func upcoming() throws {
        for (title, day) in [("past", -1.0), ("later", 20), ("next", 3)] {
            _ = Trip(title, start: Date(timeIntervalSinceReferenceDate: day * 86400), in: context)
        }
        _ = Trip("some day", in: context)
        try context.save()
        let trips = try Trip.upcoming(from: Date(timeIntervalSinceReferenceDate: 0), in: context)
        #expect(trips.map(\.title) == ["next", "later"])
    }

    @Test("A stop without a place is not saved")
    func validation() throws {
        let trip = Trip("Alps", in: context)
        trip.addStop("", nights: 1, costPerNight: 0)
        let error = try #require(#expect(throws: NSError.self) { try context.save() })
        #expect(error.code == NSValidationStringTooShortError)
    }

    @Test("Trips saved in a background context arrive in the view context")
    func background() async throws {
        try await journal.container.performBackgroundTask { context in
            _ = Trip("Sea", in: context)
            try context.save()
        }
        let request = NSFetchRequest<Trip>(entityName: "Trip")
        #expect(try context.fetch(request).map(\.title) == ["Sea"])
    }
}

/// A folder of a test's own, which goes with it.
private final class Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("Journal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
