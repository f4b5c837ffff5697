import CoreData
import Foundation
import Synchronization
import Testing

/// The types of stores that pass the conformance suite.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite, memory, xml, binary, atomic, incremental

    var testDescription: String { rawValue }

    /// The type of the stores that fixtures make: see `StoreKindTrait`.
    @TaskLocal static var current = StoreKind.sqlite

    var type: NSPersistentStore.StoreType {
        Self.registration
        return switch self {
        case .sqlite: .sqlite
        case .memory: .inMemory
        case .xml: .xml
        case .binary: .binary
        case .atomic: NSPersistentStore.StoreType(rawValue: "PropertyList")
        case .incremental: NSPersistentStore.StoreType(rawValue: "Service")
        }
    }

    private static let registration: Void = {
        NSPersistentStoreCoordinator.registerStoreClass(
            PropertyListStore.self, type: NSPersistentStore.StoreType(rawValue: "PropertyList"))
        NSPersistentStoreCoordinator.registerStoreClass(ServiceStore.self, forStoreType: "Service")
    }()

    /// What stores of the type can do. A suite runs on all kinds, or on all that have what it is about: it lists none by name, so that a
    /// new kind runs all that it says it can do. `StoreComplianceTests` sees to that.
    struct Capabilities: OptionSet, Sendable {
        let rawValue: Int
        /// What was saved is there when the store is opened again.
        static let lasts = Capabilities(rawValue: 1 << 0)
        /// The store is one file.
        static let isFile = Capabilities(rawValue: 1 << 1)
        /// The file is read, and written, as a whole.
        static let isDocument = Capabilities(rawValue: 1 << 2)
        /// All objects are in memory; Swift's own closures decide there.
        static let isAtomic = Capabilities(rawValue: 1 << 3)
        /// It computes derived attributes.
        static let derives = Capabilities(rawValue: 1 << 4)
        /// It takes a model with uniqueness constraints, whether it enforces them or not.
        static let takesConstraints = Capabilities(rawValue: 1 << 5)
        /// It keeps values of transformable attributes.
        static let keepsTransformables = Capabilities(rawValue: 1 << 6)
        /// It answers requests with groups, sums and errors of its own, as the framework's stores do.
        static let answersRequests = Capabilities(rawValue: 1 << 7)
        /// Another store can be migrated to one of the type.
        static let isFilledByMigration = Capabilities(rawValue: 1 << 8)
        /// It is the framework's own.
        static let isBuiltIn = Capabilities(rawValue: 1 << 9)
        /// Contexts can be pinned to one of its states.
        static let hasGenerations = Capabilities(rawValue: 1 << 10)
        /// A store that is destroyed leaves an empty file.
        static let leavesFile = Capabilities(rawValue: 1 << 11)

        static let ofBuiltIn: Capabilities = [
            .isBuiltIn, .keepsTransformables, .answersRequests, .isFilledByMigration,
        ]
    }

    var capabilities: Capabilities {
        switch self {
        case .sqlite:
            Capabilities.ofBuiltIn.union([
                .lasts, .isFile, .derives, .takesConstraints, .hasGenerations, .leavesFile,
            ])
        case .memory: Capabilities.ofBuiltIn.union([.isAtomic, .takesConstraints])
        case .xml, .binary: Capabilities.ofBuiltIn.union([.lasts, .isFile, .isDocument, .isAtomic])
        case .atomic:
            [.lasts, .isFile, .isAtomic, .takesConstraints, .answersRequests, .isFilledByMigration]
        case .incremental: [.lasts, .derives, .takesConstraints]
        }
    }

    var isLasting: Bool { capabilities.contains(.lasts) }
    var derives: Bool { capabilities.contains(.derives) }
    /// Whether closures and comparators of Swift decide in it.
    var runsClosures: Bool { capabilities.contains(.isAtomic) }

    /// The kinds that can do all of this.
    static func with(_ capabilities: Capabilities) -> [StoreKind] {
        allCases.filter { $0.capabilities.isSuperset(of: capabilities) }
    }

    /// The kinds that can do nothing of this.
    static func without(_ capabilities: Capabilities) -> [StoreKind] {
        allCases.filter { $0.capabilities.isDisjoint(with: capabilities) }
    }

    static let lasting = with(.lasts)
    static let files = with(.isFile)
    static let documents = with(.isDocument)
    static let atomics = with(.isAtomic)
    static let answering = with(.answersRequests)
}

/// A store of the suite: a folder, and coordinators on the store in it.
final class ConformanceStore: Sendable {
    let kind: StoreKind
    let folder: StoreFolder
    var url: URL { folder.url.appendingPathComponent("Store.\(kind.rawValue)") }

    init(_ kind: StoreKind) throws {
        self.kind = kind
        folder = try StoreFolder()
    }

    func open(
        _ model: NSManagedObjectModel = ConformanceModel.make(), _ options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = FolderCoordinator(managedObjectModel: model)
        coordinator.folder = folder
        try coordinator.addPersistentStore(type: kind.type, at: url, options: options)
        return coordinator
    }
}

/// A coordinator that keeps the folder of its store.
private final class FolderCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    var folder: StoreFolder?
}

enum ConformanceModel {
    static func make(extra: String? = nil) -> NSManagedObjectModel {
        let manager = NSEntityDescription("Manager", attribute("bonus", .integer64))
        let person = NSEntityDescription(
            "Person", attribute("name", .string, optional: false), attribute("age", .integer32),
            attribute("joined", .date), attribute("wage", .decimal), attribute("rating", .double),
            attribute("active", .boolean), attribute("uuid", .uuid), attribute("site", .uri),
            attribute("photo", .binaryData), transformable("tags"), subentities: [manager])
        let team = NSEntityDescription("Team", attribute("name", .string))
        let chore = NSEntityDescription("Chore", attribute("title", .string))
        let skill = NSEntityDescription("Skill", attribute("name", .string))
        pair(person.relate("team", to: team), team.relate("members", to: person, many: true))
        pair(
            person.relate("chores", to: chore, many: true, ordered: true, rule: .cascadeDeleteRule),
            chore.relate("owner", to: person))
        pair(person.relate("skills", to: skill, many: true), skill.relate("people", to: person, many: true))
        if let extra { skill.add(attribute(extra, .string)) }
        return NSManagedObjectModel(of: person, manager, team, chore, skill)
    }

    /// Ada and Alan in a team, Grace, a manager, in none; chores in order, and skills.
    static func fill(_ context: NSManagedObjectContext) throws {
        let team = try context.insert("Team", ["name": "Enigma"])
        let ada = try context.insert(
            "Person", ["name": "Ada", "age": 36, "rating": 4.5, "active": true, "team": team])
        let alan = try context.insert(
            "Person", ["name": "Alan", "age": 41, "rating": 3.25, "active": false, "team": team])
        let grace = try context.insert(
            "Manager", ["name": "Grace", "age": 85, "rating": 5.0, "active": true, "bonus": 7])
        let math = try context.insert("Skill", ["name": "mathematics"])
        let ships = try context.insert("Skill", ["name": "ships"])
        ada.setValue(NSSet(array: [math]), forKey: "skills")
        alan.setValue(NSSet(array: [math]), forKey: "skills")
        grace.setValue(NSSet(array: [math, ships]), forKey: "skills")
        let chores = try ["sweep", "cook", "wash"].map { try context.insert("Chore", ["title": $0]) }
        ada.setValue(NSOrderedSet(array: chores), forKey: "chores")
    }
}

extension NSManagedObjectContext {
    func person(_ name: String) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = NSPredicate(format: "name == %@", name)
        let found = try fetch(request)
        try #require(found.count == 1, "\(found.count) objects named \(name)")
        return found[0]
    }

    func people(
        _ format: String? = nil, _ arguments: [Any] = [], by keys: String..., limit: Int = 0, offset: Int = 0
    )
        throws -> [String]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
        request.sortDescriptors = (keys.isEmpty ? ["name"] : keys).map {
            $0.hasPrefix("-")
                ? NSSortDescriptor(key: String($0.dropFirst()), ascending: false)
                : NSSortDescriptor(key: $0, ascending: true)
        }
        request.fetchLimit = limit
        request.fetchOffset = offset
        return try fetch(request).map { $0.value(forKey: "name") as? String ?? "nil" }
    }
}

extension NSManagedObject {
    func destinationNames(_ key: String, _ attribute: String = "name") -> [String] {
        let value = self.value(forKey: key)
        let objects = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
        return objects.compactMap { ($0 as? NSManagedObject)?.value(forKey: attribute) as? String }
    }
}
