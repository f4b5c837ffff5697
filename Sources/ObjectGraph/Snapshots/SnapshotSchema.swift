import Foundation
import ManagedObjectModel

/// What a snapshot has: the block of its row, or, without a row, the values. One reference for either.
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
package final class SnapshotSchema: @unchecked Sendable {
    /// How a value is read from a row.
    private enum Reading: Sendable {
        case attribute(PropertySlot)
        /// A relationship whose destinations are all of one entity.
        case toOne(StoredEntity)
    }

    package let storedEntity: StoredEntity
    let entityName: String
    /// By slot; nil for a property that snapshots do not have.
    private let readings: [Reading?]
    private let slotsByName: [String: Int]
    /// The slots of the properties, and whether a row has bytes for them.
    let slots: [(slot: Int, hasBytes: Bool)]
    /// By slot, as `readings`, in a form that is read without counting references.
    let shape: UnsafeMutablePointer<SnapshotShape>

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
        let traits = storedEntity.layout.traits
        self.slots = readings.indices.filter { readings[$0] != nil }.map { ($0, traits[$0].kind.hasBytes) }
        shape = .allocate(capacity: 1)
        shape.initialize(
            to: SnapshotShape(storedEntity.layout) { slot in
                guard readings[slot] != nil else { return .missing }
                let kind = traits[slot].kind
                return kind.isWholeNumber
                    ? .integer : kind.isReal ? .real : kind == .string ? .string : .other
            })
        entityName = storedEntity.entity.name ?? ""
        slotsByName = Dictionary(
            slots.map { (storedEntity.layout.slots[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names of the properties.
    var names: Dictionary<String, Int>.Keys { slotsByName.keys }

    /// The slot of a property; nil if snapshots do not have it.
    func slot(_ name: String) -> Int? { slotsByName[name] }

    func value(_ slot: Int, _ row: SnapshotRow, _ rows: SnapshotRows) -> ManagedObjectSnapshot.Value {
        guard let reading = readings[slot], !row.isNull(slot) else { return .null }
        let word = row.word(slot)
        switch reading {
        case .toOne(let destination):
            return .object(
                NSManagedObjectID(storedEntity: destination, reference: Int64(bitPattern: word)))
        case .attribute(let info):
            return ManagedObjectSnapshot.Value(plain: Self.value(word, info, rows), info)
        }
    }

    /// The value of an attribute, as objects keep it.
    private static func value(_ word: UInt64, _ info: PropertySlot, _ rows: SnapshotRows) -> SlotValue {
        func string() -> String { rows.withBytes(word) { String(decoding: $0, as: UTF8.self) } }
        switch info.kind {
        case .integer16, .integer32, .integer64, .boolean: return .integer(Int64(bitPattern: word))
        case .double, .float, .date: return .double(Double(bitPattern: word))
        case .decimal: return .decimal(rows.withBytes(word) { $0.loadUnaligned(as: Decimal.self) })
        case .string: return .string(string())
        case .uri: return URL(string: string()).map(SlotValue.url) ?? .null
        case .uuid: return .uuid(rows.withBytes(word) { Row.uuid($0) })
        case .binary: return .data(rows.withBytes(word) { Data($0) })
        case .transformable, .composite, .undefined, .toOne, .toMany, .fetched: return .null
        }
    }

    func values(_ row: SnapshotRow, _ rows: SnapshotRows) -> [String: ManagedObjectSnapshot.Value] {
        slotsByName.mapValues { value($0, row, rows) }
    }

    deinit {
        shape.pointee.deallocate()
        shape.deallocate()
    }
}
