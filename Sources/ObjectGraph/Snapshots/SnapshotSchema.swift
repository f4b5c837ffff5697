import Foundation
import ManagedObjectModel

/// What a snapshot has besides a row: a schema for reading it, or, without a row, the values. One reference for either.
class SnapshotPart {}

/// The values of a snapshot that are not in a row.
final class SnapshotValues: SnapshotPart, @unchecked Sendable {
    let objectID: NSManagedObjectID
    let values: [String: ManagedObjectSnapshot.Value]

    init(objectID: NSManagedObjectID, values: [String: ManagedObjectSnapshot.Value]) {
        self.objectID = objectID
        self.values = values
    }
}

/// What snapshots of rows of one entity have in common: the properties, and how their values are read from a row.
final class SnapshotSchema: SnapshotPart, @unchecked Sendable {
    /// How a value is read from a row.
    private enum Reading: Sendable {
        case attribute(PropertySlot)
        /// A relationship whose destinations are all of one entity.
        case toOne(StoredEntity)
    }

    let storedEntity: StoredEntity
    let entityName: String
    /// By slot; nil for a property that snapshots do not have.
    private let readings: [Reading?]
    private let slotsByName: [String: Int]
    /// By slot, as `readings`, in a form that is read without counting references.
    private let kinds: [SlotKind?]

    /// - Returns: nil if a property has a value that is not in the row alone, or one that cannot always be read.
    init?(_ storedEntity: StoredEntity, slots: [Int], _ store: any ObjectStore) {
        var readings = [Reading?](repeating: nil, count: storedEntity.layout.slots.count)
        for slot in slots {
            let info = storedEntity.layout.slots[slot]
            switch info.kind {
            case .toOne:
                guard info.entitySlot < 0,
                    let destination = info.relationship?.destinationEntity.flatMap(store.storedEntity(of:))
                else { return nil }
                readings[slot] = .toOne(destination)
            case .integer16, .integer32, .integer64, .boolean, .double, .float, .date, .decimal, .string,
                .uri,
                .uuid:
                readings[slot] = .attribute(info)
            case .binary where !info.isExternal: readings[slot] = .attribute(info)
            case .binary, .transformable, .composite, .undefined, .toMany, .fetched: return nil
            }
        }
        self.storedEntity = storedEntity
        self.readings = readings
        kinds = zip(readings, storedEntity.layout.traits).map { $0 == nil ? nil : $1.kind }
        entityName = storedEntity.entity.name ?? ""
        slotsByName = Dictionary(
            slots.map { (storedEntity.layout.slots[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names of the properties.
    var names: Dictionary<String, Int>.Keys { slotsByName.keys }

    /// The slot of a property; nil if snapshots do not have it.
    func slot(_ name: String) -> Int? { slotsByName[name] }

    /// The slot of a key's property, and its kind; nil if snapshots do not have it.
    @inline(__always)
    func position<Value>(_ key: ManagedKey<Value>) -> (slot: Int, kind: SlotKind)? {
        let slot = storedEntity.layoutPointer._withUnsafeGuaranteedRef { key.indexIfFound(in: $0) }
        guard let slot, let kind = kinds[slot] else { return nil }
        return (slot, kind)
    }

    func value(_ slot: Int, _ row: Row) -> ManagedObjectSnapshot.Value {
        guard !row.isNull(slot), let reading = readings[slot] else { return .null }
        switch reading {
        case .toOne(let destination):
            return .object(NSManagedObjectID(storedEntity: destination, reference: row.integer(slot)))
        case .attribute(let info): return ManagedObjectSnapshot.Value(plain: row.value(slot, info), info)
        }
    }

    func values(_ row: Row) -> [String: ManagedObjectSnapshot.Value] {
        slotsByName.mapValues { value($0, row) }
    }
}
