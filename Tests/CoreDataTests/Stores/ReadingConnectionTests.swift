import CoreData
import Foundation
import Testing

/// The connections that read a store beside the one that writes.
@Suite struct ReadingConnectionTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// How often this process has the file of the store open.
    private func handles() throws -> Int {
        let path = folder.file.resolvingSymlinksInPath().path
        let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return numbers.filter { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(number)")
            return target.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path == path } ?? false
        }.count
    }

    #if os(Linux)
    /// A released store closes its file, with the log moved into it, as a removed one does.
    @Test("A store that is removed or released closes its files", arguments: [false, true])
    func fileIsClosedWithTheStore(isRemoved: Bool) throws {
        try folder.make(OwnerModel.model())
        var coordinator: NSPersistentStoreCoordinator? = try folder.open(OwnerModel.model())
        try coordinator?.inContext { context in
            try context.insert("Owner", ["name": "o"])
            try context.save()
            #expect(try context.all("Owner", where: NSPredicate(format: "name == 'o'")).count == 1)
        }
        #expect(try handles() > 0)
        if isRemoved { try coordinator?.close() }
        coordinator = nil
        #expect(try handles() == 0)
        #expect(try folder.names == ["Store.sqlite"])
    }

    /// No more read at once than the option says; the others wait.
    @Test("A store has no more reading connections than its option allows")
    func connectionPoolSize() async throws {
        let coordinator = try folder.open(
            OwnerModel.model(), [NSPersistentStoreConnectionPoolMaxSizeKey: 2])
        try coordinator.inContext { context in
            for number in 0..<200 { try context.insert("Item", ["name": "\(number)"]) }
            try context.save()
        }
        let found = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let context = NSManagedObjectContext(.privateQueue)
                    context.persistentStoreCoordinator = coordinator
                    return await context.perform {
                        (0..<25).reduce(0) { sum, number in
                            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                            request.predicate = NSPredicate(format: "name == %@", "\(number)")
                            return sum + ((try? context.count(for: request)) ?? 0)
                        }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(found == 8 * 25)
        // One writes.
        #expect(try handles() <= 3)
        try coordinator.close()
        #expect(try handles() == 0)
    }
    #endif

    /// The number of queries is unlimited; a connection keeps a limited number of statements, and each
    /// query gets its own result.
    @Test("More statements than a connection keeps give their own results")
    func manyStatements() throws {
        try folder.open(OwnerModel.model()).inContext { context in
            try context.insert("Owner", ["name": "o"])
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
            for number in 0..<(PreparedStatements.limit + 10) {
                // The bits of a number make each statement another one.
                let parts = (0..<9).map { bit in
                    NSPredicate(format: number >> bit & 1 == 0 ? "name != %@" : "name > %@", "\(bit)")
                }
                request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
                #expect(try context.count(for: request) == 1)
            }
            request.predicate = NSPredicate(format: "name != 'o'")
            #expect(try context.count(for: request) == 0)
        }
    }
}
