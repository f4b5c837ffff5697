import Testing

import CoreData
@testable import ObjectGraph

/// Lists of changed objects while code of the objects' classes runs.
@Suite struct PendingObjectTests {
    private static let model: NSManagedObjectModel = {
        let item = NSEntityDescription("Item", attribute("name", .string))
        item.managedObjectClassName = "LastWordItem"
        return NSManagedObjectModel(of: item)
    }()

    @Test("Changes made while a list releases its objects are not lost")
    func changesAtTheEnd() throws {
        NSManagedObjectModel.register(LastWordItem.self)
        let folder = try StoreFolder()
        let coordinator = try folder.open(Self.model)
        let context = coordinator.context()
        try context.performAndWait {
            try context.insert("Item", ["name": "goes"])
            try context.insert("Item", ["name": "stays"])
            try context.save()
        }
        try context.performAndWait {
            let staying = try context.only("Item", named: "stays")
            var going: LastWordItem? = try context.only("Item", named: "goes")
            context.processPendingChanges()
            if let going {
                // The list of refreshed objects has the last reference to it; in its last moment it has another one refreshed.
                context.refresh(going, mergeChanges: true)
                going.willAccessValue(forKey: nil)
                going.lastWord = { context.refresh(staying, mergeChanges: true) }
            }
            going = nil
            let log = RefreshLog(context)
            context.processPendingChanges()
            context.processPendingChanges()
            #expect(log.names == [["goes"], ["stays"]])
        }
    }

    @Test("A list of pending objects is empty before it releases its objects")
    func lists() throws {
        NSManagedObjectModel.register(LastWordItem.self)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let context = coordinator.context()
        try context.performAndWait {
            let entity = try #require(Self.model.entitiesByName["Item"])
            let list = Box(PendingObjects(flag: .eventRefreshed))
            let second = LastWordItem(entity: entity, insertInto: nil)
            released {
                let first = LastWordItem(entity: entity, insertInto: nil)
                list.value.insert(first)
                first.lastMoment = { list.value.insert(second) }
            }
            #expect(list.value.count == 1)
            _ = list.value.removeAll()
            #expect(list.value.all == [second] && list.value.contains(second))
        }
    }

    /// Runs a block whose variables are gone afterwards.
    private func released(_ body: () -> Void) { body() }
}

private final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}

/// Does something when it is released.
private final class LastWordItem: NSManagedObject {
    var lastWord: (() -> Void)?
    var lastMoment: (() -> Void)?

    override func willTurnIntoFault() { lastWord?() }

    deinit { lastMoment?() }
}

/// The names of the objects that a context said were refreshed, in the order of its notifications.
private final class RefreshLog {
    private(set) var names: [[String]] = []
    private var observer: (any NSObjectProtocol)?

    init(_ context: NSManagedObjectContext) {
        nonisolated(unsafe) let log = Weak(self)
        observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { notification in
            let refreshed = notification.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> ?? []
            guard !refreshed.isEmpty else { return }
            log.value?.names.append(refreshed.compactMap { $0.primitiveValue(forKey: "name") as? String })
        }
    }

    deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }
}

private final class Weak<Value: AnyObject> {
    weak var value: Value?
    init(_ value: Value) { self.value = value }
}

extension NSManagedObjectContext {
    fileprivate func only(_ entity: String, named name: String) throws -> LastWordItem {
        try #require(try all(entity, where: NSPredicate(format: "name = %@", name)).first as? LastWordItem)
    }
}
