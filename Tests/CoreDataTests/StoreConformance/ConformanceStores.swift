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

    /// Whether what was saved is there when the store is opened again.
    var isLasting: Bool { self != .memory }
    /// Whether it is one file.
    var isFile: Bool { self != .memory && self != .incremental }
    /// Whether it computes derived attributes.
    var derives: Bool { !Self.atomics.contains(self) }
    static let lasting = allCases.filter(\.isLasting)
    static let files = allCases.filter(\.isFile)
    static let atomics: [StoreKind] = [.memory, .xml, .binary, .atomic]
    static let withoutConstraints: [StoreKind] = [.memory, .xml, .binary]
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
