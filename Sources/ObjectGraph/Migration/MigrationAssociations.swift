import Foundation

/// The source and destination objects of one entity mapping.
struct MigrationAssociations {
    private var destinationsBySource: [ObjectIdentifier: [NSManagedObject]] = [:]
    private var makersOf: [ObjectIdentifier: [NSManagedObject]] = [:]
    /// All source objects with destination objects, in order.
    private(set) var sources: [NSManagedObject] = []
    /// All destination objects, in order.
    private(set) var destinations: [NSManagedObject] = []

    mutating func add(_ source: NSManagedObject, _ destination: NSManagedObject) {
        if destinationsBySource[ObjectIdentifier(source)] == nil { sources.append(source) }
        if makersOf[ObjectIdentifier(destination)] == nil { destinations.append(destination) }
        destinationsBySource[ObjectIdentifier(source), default: []].append(destination)
        makersOf[ObjectIdentifier(destination), default: []].append(source)
    }

    /// The objects made of a source object.
    func made(of source: NSManagedObject) -> [NSManagedObject] {
        destinationsBySource[ObjectIdentifier(source)] ?? []
    }

    /// The source objects of an object.
    func makers(of destination: NSManagedObject) -> [NSManagedObject] {
        makersOf[ObjectIdentifier(destination)] ?? []
    }
}
