import CoreData
import Synchronization
import Testing

/// The files that keep the names of sections.
@Suite(.serialized) struct SectionCacheTests {
    /// Counts how often a section's name is computed.
    final class CachedEntry: NSManagedObject {
        static let computations = Atomic<Int>(0)

        override class var managedProperties: [ManagedProperty] {
            [.custom("decade", \CachedEntry.decade), .custom("parity", \CachedEntry.parity)]
        }

        private var number: Int {
            Self.computations.add(1, ordering: .relaxed)
            return value(forKey: "number") as? Int ?? 0
        }

        var decade: String { "\(number / 10)" }
        var parity: Int { number % 2 }
    }

    /// The sections of a controller, and how many names were computed for them.
    private struct Found: Equatable {
        let names: [String]
        let counts: [Int]
        let computations: Int

        init(_ names: [String], _ counts: [Int], _ computations: Int) {
            (self.names, self.counts, self.computations) = (names, counts, computations)
        }
    }

    private let folder: StoreFolder
    private let cacheName = "a cache/\(UUID().uuidString)"
    private let model = NSManagedObjectModel.of(
        .make(
            "CachedEntry", class: CachedEntry.self,
            [
                Library.attribute("number", .integer64), Library.attribute("text", .string),
                Library.transient("decade", .string), Library.transient("parity", .integer64),
            ]))

    init() throws {
        folder = try StoreFolder()
        try folder.open(model).inContext { context in
            for number in 0..<25 { try context.insert("CachedEntry", ["number": number]) }
            try context.save()
        }
    }

    /// What a new context finds.
    private func sections(
        _ keyPath: String = "decade", where format: String? = nil,
        change: (NSManagedObjectContext) throws -> Void = { _ in }
    ) throws -> Found {
        let coordinator = try folder.open(model)
        defer { try? coordinator.close() }
        return try coordinator.inContext { context in
            try change(context)
            let request = NSFetchRequest<CachedEntry>(entityName: "CachedEntry")
            request.predicate = format.map { NSPredicate(format: $0) }
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: keyPath,
                cacheName: cacheName)
            let before = CachedEntry.computations.load(ordering: .relaxed)
            try controller.performFetch()
            let after = CachedEntry.computations.load(ordering: .relaxed)
            let sections = controller.sections ?? []
            return Found(sections.map(\.name), sections.map(\.numberOfObjects), after - before)
        }
    }

    private func deleteCache() { NSFetchedResultsController<CachedEntry>.deleteCache(withName: cacheName) }

    @Test("Cached section names are computed once until the cache is deleted")
    func namesAreComputedOnce() throws {
        defer { deleteCache() }
        let first = try sections()
        #expect(first == Found(["0", "1", "2"], [10, 10, 5], 25))
        #expect(try sections() == Found(["0", "1", "2"], [10, 10, 5], 0))
        deleteCache()
        #expect(try sections() == Found(["0", "1", "2"], [10, 10, 5], 25))
    }

    @Test("A cache of another request or of other stored values is not used")
    func outdatedCacheIsNotUsed() throws {
        defer { deleteCache() }
        _ = try sections()
        #expect(try sections(where: "number < 12") == Found(["0", "1"], [10, 2], 12))
        #expect(try sections(where: "number < 12").computations == 0)
        #expect(try sections("parity", where: "number < 3") == Found(["0", "1", "0"], [1, 1, 1], 3))
        _ = try sections()
        // One value in the store, by a save, and by plain SQL that counts no version.
        _ = try sections { context in
            try context.all("CachedEntry", by: "number").last?.setValue(31, forKey: "number")
            try context.save()
        }
        #expect(try sections() == Found(["0", "1", "2", "3"], [10, 10, 4, 1], 0))
        try folder.execute("UPDATE ZCACHEDENTRY SET ZNUMBER = 19 WHERE ZNUMBER = 20")
        #expect(try sections() == Found(["0", "1", "2", "3"], [10, 11, 3, 1], 25))
        try folder.execute("DELETE FROM ZCACHEDENTRY WHERE ZNUMBER = 31")
        #expect(try sections() == Found(["0", "1", "2"], [10, 11, 3], 24))
    }

    @Test("Results with unsaved changes do not use the cache")
    func unsavedChangesUseNoCache() throws {
        defer { deleteCache() }
        _ = try sections()
        let changed = try sections { context in
            try context.all("CachedEntry", by: "number").first?.setValue(25, forKey: "number")
        }
        #expect(changed == Found(["0", "1", "2"], [9, 10, 6], 25))
        #expect(try sections() == Found(["0", "1", "2"], [10, 10, 5], 0))
    }

    @Test("A damaged cache file is not used")
    func damagedFileIsNotUsed() throws {
        defer { deleteCache() }
        _ = try sections()
        let file = SectionCache.standard.file(cacheName)
        let good = try Data(contentsOf: file)
        for broken in [Data(), Data("bplist00".utf8), good.prefix(good.count / 2), Data(good.reversed())] {
            try broken.write(to: file)
            #expect(try sections() == Found(["0", "1", "2"], [10, 10, 5], 25))
        }
        // Well-formed, and with counts that are none.
        for counts in [[10, 10], [10, 10, 6], [26, -1, 0], [Int.max, Int.max, 27], [0, 20, 5]] {
            let list = try #require(
                try PropertyListSerialization.propertyList(from: good, format: nil) as? [String: Any])
            var changed = list
            changed["counts"] = counts
            try PropertyListSerialization.data(fromPropertyList: changed, format: .binary, options: 0)
                .write(to: file)
            #expect(try sections() == Found(["0", "1", "2"], [10, 10, 5], 25))
        }
    }
}
