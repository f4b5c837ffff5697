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
