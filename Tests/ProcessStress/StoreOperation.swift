import CoreData
import Foundation

/// Something done to a store again and again; each time takes the store from one state, a number, to the next.
protocol StoreOperation: AnyObject {
    /// Makes the next attempt lead to a state. Called again after an attempt that failed and was made again, or that worked.
    func prepare(_ state: Int) throws
    /// Leads to the state. Called once more after an error: then it is the same attempt.
    func attempt() throws
    /// The state that this process sees with what it has open.
    func shownState() throws -> Int
    /// The state that a process finds that opens the store now.
    func storedState() throws -> Int
    /// Whether an error may come after all is done.
    var mayBeDoneAfterError: Bool { get }
    /// Throws when something lies about that belongs to no store.
    func checkFiles() throws
}

package enum OperationKind: String, CaseIterable, Sendable {
    case save
    /// Without a write-ahead log.
    case journal
    case external
    case batch
    case metadata
    case xml
    case binary
    case create
    case open
    case migrate
    case replace
    case move
    case export
    case destroy

    /// Those that open no connection: the library below ends the process when SQLite gets no memory while it sets one up.
    package static let onOpenStores: [OperationKind] = [.save, .journal, .external, .batch]

    func make(_ folder: URL) throws -> any StoreOperation {
        switch self {
        case .save: try SaveOperation(folder)
        case .journal:
            try SaveOperation(folder, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        case .external: try SaveOperation(folder, hasPayload: true)
        case .batch: try BatchOperation(folder)
        case .metadata: try MetadataOperation(folder)
        case .xml: try SaveOperation(folder, type: .xml)
        case .binary: try SaveOperation(folder, type: .binary)
        case .create: CreationOperation(folder)
        case .open: try OpeningOperation(folder)
        case .migrate: try MigrationOperation(folder)
        case .replace: try ReplacementOperation(folder)
        case .move: try MoveOperation(folder, type: .sqlite)
        case .export: try MoveOperation(folder, type: .xml)
        case .destroy: try DestructionOperation(folder)
        }
    }
}

/// A store all of whose objects show its state, so that a torn state is noticed.
struct StatedStore {
    static let payloadLength = 150_000
    let file: URL
    var type = NSPersistentStore.StoreType.sqlite
    var options: [AnyHashable: Any] = [:]
    var hasPayload = false
    /// How many attributes the model has beyond those that it always has.
    var extraCount = 0

    init(_ file: URL) { self.file = file }

    var model: NSManagedObjectModel {
        let names = (0..<extraCount).map { "extra\($0)" }
        let owner = Self.entity("Owner", ["state"] + names)
        let payload = NSAttributeDescription()
        payload.name = "payload"
        payload.type = .binaryData
        payload.isOptional = true
        payload.allowsExternalBinaryDataStorage = true
        owner.properties.append(payload)
        let mark = Self.entity("Mark", ["state"])
        let (marks, markOwner) = (NSRelationshipDescription(), NSRelationshipDescription())
        marks.name = "marks"
        marks.destinationEntity = mark
        marks.maxCount = 0
        markOwner.name = "owner"
        markOwner.destinationEntity = owner
        markOwner.maxCount = 1
        marks.inverseRelationship = markOwner
        markOwner.inverseRelationship = marks
        owner.properties.append(marks)
        mark.properties.append(markOwner)
        let model = NSManagedObjectModel()
        model.entities = [owner, mark]
        return model
    }

    private static func entity(_ name: String, _ attributes: [String]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.type = .integer64
            attribute.isOptional = true
            return attribute
        }
        return entity
    }

    func open(_ more: [AnyHashable: Any] = [:]) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: type, at: file, options: options.merging(more, uniquingKeysWith: { $1 }))
        return coordinator
    }

    /// Makes the store with one object, in state 0.
    func make() throws {
        let coordinator = try open()
        defer { Self.close(coordinator) }
        try Self.inContext(of: coordinator) { context in
            let owner = NSEntityDescription.insertNewObject(forEntityName: "Owner", into: context)
            owner.setValue(0, forKey: "state")
            try set(0, in: context)
            try context.save()
        }
    }

    static func close(_ coordinator: NSPersistentStoreCoordinator) {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func inContext<Value>(
        of coordinator: NSPersistentStoreCoordinator, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        let context = context(coordinator)
        return try context.performAndWait { try body(context) }
    }

    private func owner(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        let owners = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Owner"))
        guard owners.count == 1 else { throw StressFailure("there are \(owners.count) owners") }
        return owners[0]
    }

    /// Changes an object, inserts some and deletes those of the state before.
    func set(_ state: Int, in context: NSManagedObjectContext) throws {
        let owner = try owner(context)
        owner.setValue(state, forKey: "state")
        if hasPayload { owner.setValue(payload(state), forKey: "payload") }
        for mark in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Mark")) {
            context.delete(mark)
        }
        for _ in 0..<3 {
            let mark = NSEntityDescription.insertNewObject(forEntityName: "Mark", into: context)
            mark.setValue(state, forKey: "state")
            mark.setValue(owner, forKey: "owner")
        }
    }

    private func payload(_ state: Int) -> Data {
        Data("\(state) ".utf8) + Data(repeating: UInt8(truncatingIfNeeded: state), count: Self.payloadLength)
    }

    /// The state that a context without changes shows.
    func state(in context: NSManagedObjectContext) throws -> Int {
        let owner = try owner(context)
        let state = owner.value(forKey: "state") as? Int ?? -1
        let marks = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Mark"))
        guard marks.count == 3, marks.allSatisfy({ $0.value(forKey: "state") as? Int == state }),
            (owner.value(forKey: "marks") as? Set<NSManagedObject>) == Set(marks)
        else {
            throw StressFailure(
                "torn: state \(state), marks \(marks.map { $0.value(forKey: "state") as? Int ?? -1 })")
        }
        guard !hasPayload || owner.value(forKey: "payload") as? Data == payload(state) else {
            throw StressFailure("the data are not those of state \(state)")
        }
        return state
    }

    /// The state that a new coordinator finds, in a file that is whole.
    func storedState() throws -> Int {
        if type == .sqlite {
            // Files of external data that nothing names are removed at the next opening.
            let findings = try StoreFindings.of(file, model).filter { !$0.hasSuffix("[unused-file]") }
            guard findings.isEmpty else { throw StressFailure(findings.joined(separator: "; ")) }
        }
        let coordinator = try open()
        defer { Self.close(coordinator) }
        return try Self.inContext(of: coordinator) { try state(in: $0) }
    }
}

extension StoreOperation {
    var mayBeDoneAfterError: Bool { false }

    /// Hidden files are drafts, but for the folders of external data.
    func checkNames(in folder: URL, allowed: (String) -> Bool = { _ in true }) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            if name.hasPrefix("."), name.hasSuffix("_SUPPORT") { continue }
            guard !name.hasPrefix("."), allowed(name) else { throw StressFailure("there is a file \(name)") }
        }
    }
}
