import CoreData

/// All that a context shows of a store: a line for each object, under its URI.
struct StressPicture: Equatable, Sendable {
    private var lines: [String: String] = [:]

    /// Reads everything. On the context's queue.
    init(_ context: NSManagedObjectContext) throws {
        for entity in StressModel.entities {
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                lines[Self.name(object)] = Self.line(object)
            }
        }
    }

    private static func name(_ object: NSManagedObject) -> String {
        object.objectID.uriRepresentation().absoluteString
    }

    private static func line(_ object: NSManagedObject) -> String {
        object.entity.propertiesByName.keys.sorted().map { key in
            "\(key)=\(text(object.value(forKey: key)))"
        }.joined(separator: " ")
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case let object as NSManagedObject: name(object)
        case let list as NSOrderedSet: "\(list.array.compactMap { ($0 as? NSManagedObject).map(name) })"
        case let set as Set<NSManagedObject>: "\(set.map(name).sorted())"
        case let value?: "\(value)"
        case nil: "-"
        }
    }

    var count: Int { lines.count }

    /// Where another picture differs, in words; nil where it does not.
    func difference(to other: StressPicture) -> String? {
        let different = Set(lines.keys).union(other.lines.keys).filter { lines[$0] != other.lines[$0] }
        guard let first = different.min() else { return nil }
        return """
            \(different.count) of \(lines.count) objects; \(first): \(lines[first] ?? "none") here, \
            \(other.lines[first] ?? "none") there
            """
    }
}
