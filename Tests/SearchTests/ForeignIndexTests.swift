import CoreData
import Foundation
import GRDB
import Testing

/// Databases that are not an index, in the place of one: they may be somebody's data.
struct ForeignIndexTests {
    private func titles(_ words: String, _ context: NSManagedObjectContext) throws -> [String] {
        try context.run { try $0.titles(words) }
    }

    private func add(_ title: String, _ context: NSManagedObjectContext) throws {
        try context.run { context throws in
            context.add(["title": title])
            try context.save()
        }
    }

    /// Expects that a search is an error that names the index's file.
    private func expectRefusal(_ stack: SearchStack, at location: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: NSError.self, sourceLocation: location) {
            try titles("war", stack.context)
        }
        #expect(
            error?.localizedDescription.contains(stack.index.path) ?? false, "\(String(describing: error))",
            sourceLocation: location)
        #expect(error?.userInfo[NSFilePathErrorKey] as? String == stack.index.path, sourceLocation: location)
    }

    @Test("A database of another program is left alone as it is, and a search is an error that names it")
    func foreignDatabase() throws {
        let stack = try SearchStack()
        try add("war", stack.context)
        let foreign = try DatabaseQueue(path: stack.index.path)
        try foreign.write { try $0.execute(sql: "CREATE TABLE own (a); INSERT INTO own VALUES (7)") }
        try foreign.close()
        try #require(chmod(stack.index.path, 0o604) == 0)
        let before = try Data(contentsOf: stack.index)
        expectRefusal(stack)
        try add("war II", stack.context)
        expectRefusal(stack)
        try stack.coordinator.deleteSearchIndexes()
        #expect(try Data(contentsOf: stack.index) == before)
        let mode = try FileManager.default.attributesOfItem(atPath: stack.index.path)[.posixPermissions]
        #expect(mode as? Int == 0o604)
        try FileManager.default.removeItem(at: stack.index)
        #expect(try titles("war", stack.context) == ["war", "war II"])
    }

    @Test("A store with the name of another store's index keeps its objects; the other store is not searched")
    func storeWithTheNameOfAnIndex() throws {
        let stack = try SearchStack()
        try add("war", stack.context)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SearchModel.model())
        try coordinator.addPersistentStore(
            type: .sqlite, at: stack.index, options: [NSPersistentHistoryTrackingKey: true])
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try add("peace", context)
        // Both while the other store is open and after it was closed.
        expectRefusal(stack)
        #expect(try titles("peace", context) == ["peace"])
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        expectRefusal(stack)
        try stack.coordinator.deleteSearchIndexes()
        let other = NSPersistentStoreCoordinator(managedObjectModel: SearchModel.model())
        try other.addPersistentStore(type: .sqlite, at: stack.index)
        defer { for store in other.persistentStores { try? other.remove(store) } }
        let reading = NSManagedObjectContext(.privateQueue)
        reading.persistentStoreCoordinator = other
        #expect(
            try reading.run { try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) } == 1)
    }

    @Test("An index is not opened as a store")
    func indexAsStore() throws {
        let stack = try SearchStack()
        try add("war", stack.context)
        #expect(try titles("war", stack.context) == ["war"])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SearchModel.model())
        #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(type: .sqlite, at: stack.index)
        }
        #expect(try titles("war", stack.context) == ["war"])
        try add("war II", stack.context)
        #expect(try titles("war", stack.context) == ["war", "war II"])
    }

    @Test("The index of another store in the place of a store's index is replaced")
    func indexOfAnotherStore() throws {
        let stack = try SearchStack()
        try add("war", stack.context)
        let source = try SearchStack()
        try add("peace", source.context)
        #expect(try titles("peace", source.context) == ["peace"])
        for store in source.coordinator.persistentStores { try source.coordinator.remove(store) }
        try FileManager.default.copyItem(at: source.index, to: stack.index)
        #expect(try titles("war", stack.context) == ["war"])
        #expect(try titles("peace", stack.context) == [])
    }
}
