import CoreDataSQL
import CoreData

/// Compares the objects of two stores.
///
/// Objects of the two stores are matched by primary key; or by the values of the first uniqueness
/// constraint of its entity, where it has one and they are not null.
package struct StoreComparison {
    package enum Matching: String, CaseIterable, Sendable {
        case key, constraint
    }

    private let old: OpenStore
    private let new: OpenStore
    private let matching: Matching
    /// Whether the models say which relationships are ordered.
    private let knowsOrders: Bool

    package init(_ old: OpenStore, _ new: OpenStore, matching: Matching = .key) {
        knowsOrders = [old, new].allSatisfy { $0.type == .sqlite || !$0.model.isReconstructed }
        self.old = old
        self.new = new
        self.matching = matching
    }

    /// Hands out the differences, entity by entity.
    ///
    /// - Parameter progress: gets how many objects of both stores were compared so far.
    /// - Throws: an error of the stores, or what `body` throws; an error for a value that is not of its column's type,
    ///   which would be taken for another one.
    package func forEachDifference(
        progress: (Int) -> Void = { _ in }, _ body: (StoreDifference) throws -> Void
    ) throws {
        try old.store.withContents { old in
            try new.store.withContents { new in
                try compare(ComparedStore(old), ComparedStore(new), progress, body)
            }
        }
    }

    /// How many objects are compared.
    ///
    /// - Throws: an error of the stores.
    package func count() throws -> Int { try old.count(old.entities) + new.count(new.entities) }

    private func compare(
        _ old: ComparedStore, _ new: ComparedStore, _ progress: (Int) -> Void,
        _ body: (StoreDifference) throws -> Void
    ) throws {
        let partners = ObjectPartners(old, new, matching)
        var count = 0
        for name in Set(old.entities.keys).union(new.entities.keys).sorted(by: { $0.utf8Precedes($1) }) {
            guard let oldEntity = old.entities[name] else {
                try body(.entity(name, isAdded: true))
                continue
            }
            guard let newEntity = new.entities[name] else {
                try body(.entity(name, isAdded: false))
                continue
            }
            let oldFields = old.values.fields(of: oldEntity)
            let newFields = new.values.fields(of: newEntity)
            let oldNames = Set(oldFields.map(\.name))
            let newNames = Set(newFields.map(\.name))
            for field in oldNames.symmetricDifference(newNames).sorted(by: { $0.utf8Precedes($1) }) {
                try body(.property(entity: name, field, isAdded: newNames.contains(field)))
            }
            let both = oldNames.intersection(newNames)
            try Self.forEachFew(of: oldEntity, old) { rows in
                let objects = try old.values.objects(rows, of: oldEntity, oldFields)
                let keys = try rows.map { try partners.new(of: $0.reference, oldEntity) }
                let found = try new.objects(keys.compactMap { $0 }, newEntity, newFields)
                for (index, object) in objects.enumerated() {
                    let reference = old.values.reference(rows[index], oldEntity)
                    guard let key = keys[index], let partner = found[key] else {
                        try body(.removed(reference, object))
                        continue
                    }
                    let differences = try differences(object, partner, both, oldEntity, partners)
                    guard !differences.isEmpty else { continue }
                    let newReference = ObjectReference(entity: name, key: key)
                    try body(.changed(reference, new: newReference, differences))
                }
                count += rows.count
                progress(count)
            }
            try Self.forEachFew(of: newEntity, new) { rows in
                let added = try rows.filter { try partners.old(of: $0.reference, newEntity) == nil }
                for (row, object) in zip(added, try new.values.objects(added, of: newEntity, newFields)) {
                    try body(.added(new.values.reference(row, newEntity), object))
                }
                count += rows.count
                progress(count)
            }
        }
    }

    /// Few rows at a time: their external data is in memory.
    private static func forEachFew(
        of entity: SQLEntity, _ store: ComparedStore, _ body: ([CoreData.Row]) throws -> Void
    ) throws {
        try store.contents.requireNoMistypedValues(of: entity)
        try store.contents.snapshot.forEachBatch(of: entity) { rows in
            for start in stride(from: 0, to: rows.count, by: 32) {
                try body(Array(rows[start..<min(start + 32, rows.count)]))
            }
        }
    }

    private func differences(
        _ old: [String: JSONValue], _ new: [String: JSONValue], _ fields: Set<String>, _ entity: SQLEntity,
        _ partners: ObjectPartners
    ) throws -> [(property: String, old: JSONValue, new: JSONValue)] {
        try fields.sorted { $0.utf8Precedes($1) }.compactMap { field in
            let (oldValue, newValue) = (old[field] ?? .null, new[field] ?? .null)
            let relationship = entity.storedEntity.entity.relationshipsByName[field]
            guard let relationship else {
                return oldValue == newValue ? nil : (field, oldValue, newValue)
            }
            let led = try partners.translated(oldValue)
            let isSame =
                relationship.isToMany && !(relationship.isOrdered && knowsOrders)
                ? Set(led.elements) == Set(newValue.elements) : led == newValue
            return isSame ? nil : (field, oldValue, newValue)
        }
    }
}

extension JSONValue {
    /// The strings of a list; of a single string that one.
    fileprivate var elements: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(\.elements)
        default: []
        }
    }
}
