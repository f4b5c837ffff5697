import CoreData
import Foundation

/// What a registered object takes, by the allocator's own count.
enum Memory {
    static func figures(_ count: Int, _ folder: Folder) throws -> [Figure] {
        let file = folder.file("memory.sqlite")
        _ = try Numbers.filled(count, file).closingOnlyStore()
        let faults = try bytes(count, file) { context in
            let request = NSFetchRequest<Number>(entityName: "Number")
            request.includesPropertyValues = false
            return try context.fetch(request)
        }
        // Each object keeps its row, which it shares with the store's row cache.
        let objects = try bytes(count, file) { context in
            let objects = try context.fetch(NSFetchRequest<Number>(entityName: "Number"))
            for object in objects { _ = object.sum }
            return objects
        }
        // Prints nothing where the allocator does not report it.
        guard let faults, let objects else { return [] }
        return [
            Figure(name: "memory of a registered fault", value: faults, goal: 128, unit: "bytes"),
            Figure(
                name: "memory of an object with ten integers read", value: objects, goal: 256, unit: "bytes"),
        ]
    }

    private static func bytes(
        _ count: Int, _ file: URL, _ fetch: (NSManagedObjectContext) throws -> [Number]
    ) throws -> Double? {
        // One whose row cache is empty.
        try NSPersistentStoreCoordinator.opening(file, Numbers.model()).inContext { context in
            // The pages that SQLite keeps do not count.
            let all = NSFetchRequest<Number>(entityName: "Number")
            all.predicate = NSPredicate(format: "value0 != -1")
            _ = try context.count(for: all)
            let before = Footprint.allocated
            let objects = try fetch(context)
            let after = Footprint.allocated
            return try withExtendedLifetime(objects) {
                guard objects.count == count else {
                    throw Workload.Failure(description: "\(objects.count) objects")
                }
                guard let before, let after else { return nil }
                // Not the array of the result.
                return Double(after - before - count * MemoryLayout<Number>.stride) / Double(count)
            }
        }
    }
}
