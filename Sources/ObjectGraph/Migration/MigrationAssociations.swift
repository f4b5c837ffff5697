import Foundation

/// Which objects one entity mapping made of which.
struct MigrationAssociations {
    private var madeOf: [ObjectIdentifier: [NSManagedObject]] = [:]
    private var makersOf: [ObjectIdentifier: [NSManagedObject]] = [:]
    /// All source objects that something was made of, in that order.
    private(set) var sources: [NSManagedObject] = []
    /// All objects that were made, in that order.
    private(set) var destinations: [NSManagedObject] = []

    mutating func add(_ source: NSManagedObject, _ destination: NSManagedObject) {
        if madeOf[ObjectIdentifier(source)] == nil { sources.append(source) }
        if makersOf[ObjectIdentifier(destination)] == nil { destinations.append(destination) }
        madeOf[ObjectIdentifier(source), default: []].append(destination)
        makersOf[ObjectIdentifier(destination), default: []].append(source)
    }

    /// What was made of a source object.
    func made(of source: NSManagedObject) -> [NSManagedObject] { madeOf[ObjectIdentifier(source)] ?? [] }

    /// What an object was made of.
    func makers(of destination: NSManagedObject) -> [NSManagedObject] {
        makersOf[ObjectIdentifier(destination)] ?? []
    }
}
