import CoreDataSQL
import CoreData
import Foundation
import GRDB
import Testing

/// Compares every value of every object of a store with what plain SQL finds in the file.
struct StoredValues {
    let store: SQLiteStore
    let folder: StoreFolder
    private(set) var rows = 0
    private(set) var values = 0
    private(set) var linkCount = 0
    private(set) var opaque = 0
    /// The first differences, as sentences.
    private(set) var differences: [String] = []

    init(_ store: SQLiteStore, _ folder: StoreFolder) {
        self.store = store
        self.folder = folder
    }

    private mutating func differ(_ text: @autoclosure () -> String) {
        if differences.count < 20 { differences.append(text()) }
    }

    /// Compares the objects of all entities. Run on the context's queue.
    mutating func compare(in context: NSManagedObjectContext) throws {
        for entity in store.schema.entities {
            try compare(entity, in: context)
            // The next entity's objects need not share the memory with these.
            context.reset()
        }
    }

    private mutating func compare(_ entity: SQLEntity, in context: NSManagedObjectContext) throws {
        let name = entity.storedEntity.entity.name ?? ""
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = false
        var objects: [Int64: NSManagedObject] = [:]
        for object in try context.fetch(request) { objects[object.objectID.reference] = object }
        let layout = entity.storedEntity.layout
        let columns = entity.columns.map { "\"\($0.name)\"" }
        let found = try folder.rows(
            """
            SELECT \((["Z_PK"] + columns).joined(separator: ", ")) FROM "\(entity.table)" WHERE Z_ENT = ?
            """, [entity.number])
        if found.count != objects.count { differ("\(name): \(objects.count) objects, \(found.count) rows") }
        for row in found {
            guard let key = Int64.fromDatabaseValue(row[0]), let object = objects[key] else {
                differ("\(name): no object for row \(row[0])")
                continue
            }
            rows += 1
            for (column, stored) in zip(entity.columns, row.dropFirst()) {
                let slot = layout.slots[column.slot]
                // The name of a column is that of its property or element, with a digit where it clashes.
                let path = element(slot, column.rowSlot) ?? [slot.name]
                let plain = column.name.reversed().drop(while: \.isNumber).reversed().map(String.init)
                    .joined()
                if column.role == .value,
                    !"Z\(path[path.count - 1].uppercased())".hasPrefix(plain) || plain.count < 2
                {
                    differ("\(name).\(path): column \(column.name)")
                }
                values += 1
                if !agrees(object, slot, path, column, stored) {
                    differ(
                        "\(name) \(key).\(path): \(object.value(forKey: slot.name) ?? "nil"), stored: \(stored)"
                    )
                }
            }
        }
        for index in layout.toManyIndexes where layout.slots[index].isStored {
            try compareLinks(layout.slots[index], entity, objects)
        }
    }

    /// The names that lead to the element of a composite with a row slot.
    private func element(_ slot: PropertySlot, _ rowSlot: Int) -> [String]? {
        if slot.elements.isEmpty { return slot.rowSlot == rowSlot ? [slot.name] : nil }
        return slot.elements.lazy.compactMap { element($0, rowSlot) }.first.map { [slot.name] + $0 }
    }

    private mutating func agrees(
        _ object: NSManagedObject, _ slot: PropertySlot, _ path: [String], _ column: SQLColumn,
        _ stored: DatabaseValue
    ) -> Bool {
        var value = object.value(forKey: slot.name)
        for name in path.dropFirst() { value = (value as? [String: Any])?[name] }
        if column.role == .destinationEntity { return true }
        guard let value else {
            // The files of external data of some stores are not in the corpus.
            return stored.isNull || (column.kind == .binary && bytes(stored, slot) == nil)
        }
        switch column.kind {
        case .integer16, .integer32, .integer64:
            return (value as? NSNumber)?.int64Value == Int64.fromDatabaseValue(stored)
        case .boolean:
            return (value as? NSNumber)?.boolValue == Int64.fromDatabaseValue(stored).map { $0 != 0 }
        case .double: return (value as? NSNumber)?.doubleValue == Double.fromDatabaseValue(stored)
        case .float:
            return (value as? NSNumber)?.floatValue == Double.fromDatabaseValue(stored).map { Float($0) }
        case .date:
            return (value as? Date)?.timeIntervalSinceReferenceDate == Double.fromDatabaseValue(stored)
        case .decimal: return (value as? NSDecimalNumber)?.doubleValue == Double.fromDatabaseValue(stored)
        case .string: return value as? String == String.fromDatabaseValue(stored)
        case .uri: return (value as? URL)?.absoluteString == String.fromDatabaseValue(stored)
        case .uuid:
            return (value as? UUID).map { withUnsafeBytes(of: $0.uuid) { Data($0) } }
                == Data.fromDatabaseValue(stored)
        case .binary: return value as? Data == bytes(stored, slot)
        case .transformable:
            if let archive = value as? OpaqueArchive {
                opaque += 1
                return archive.data == Data.fromDatabaseValue(stored)
            }
            return true
        case .toOne:
            return (value as? NSManagedObject)?.objectID.reference == Int64.fromDatabaseValue(stored)
        case .composite, .undefined, .toMany, .fetched: return false
        }
    }

    private func bytes(_ stored: DatabaseValue, _ slot: PropertySlot) -> Data? {
        let data: Data?
        switch stored.storage {
        case .string(let text): data = Data(text.utf8)
        default: data = Data.fromDatabaseValue(stored)
        }
        guard let data, slot.attribute?.allowsExternalBinaryDataStorage == true else { return data }
        switch data.first {
        case 1: return Data(data.dropFirst())
        case 2:
            let name = String(decoding: data.dropFirst().prefix(36), as: UTF8.self)
            return try? Data(
                contentsOf: folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA/\(name)"))
        default: return data
        }
    }

    // MARK: To-many relationships

    private mutating func compareLinks(
        _ slot: PropertySlot, _ entity: SQLEntity, _ objects: [Int64: NSManagedObject]
    ) throws {
        guard let relationship = slot.relationship, let links = store.schema.links(of: relationship),
            let other = relationship.destinationEntity.flatMap({ store.storedEntity(of: $0) }).map(
                store.schema.entity)
        else {
            differ("\(entity.storedEntity.entity.name ?? "").\(slot.name): kept nowhere")
            return
        }
        var selects = [(links.owner, links.destination)]
        if links.isReflexive { selects.append((links.destination, links.owner)) }
        let order = links.order.map { "\"\($0)\"" } ?? "NULL"
        let found = try folder.rows(
            selects.map { owner, destination in
                """
                SELECT "\(owner)" o, "\(destination)" d, \(order) p FROM "\(links.table)"
                WHERE "\(owner)" NOT NULL AND "\(destination)" IN (SELECT Z_PK FROM "\(other.table)")
                """
            }.joined(separator: " UNION ") + " ORDER BY 1, 3, 2")
        var destinations: [Int64: [(key: Int64, position: Int64?)]] = [:]
        for row in found {
            guard let owner = Int64.fromDatabaseValue(row[0]), let key = Int64.fromDatabaseValue(row[1])
            else {
                continue
            }
            destinations[owner, default: []].append((key, Int64.fromDatabaseValue(row[2])))
        }
        for (key, object) in objects {
            let expected = destinations[key] ?? []
            let value = object.value(forKey: slot.name)
            let actual: [Int64]
            if let ordered = value as? NSOrderedSet {
                actual = ordered.compactMap { ($0 as? NSManagedObject)?.objectID.reference }
                let positions = Dictionary(
                    expected.map { ($0.key, $0.position ?? 0) }, uniquingKeysWith: { a, _ in a })
                let found = actual.map { positions[$0] ?? -1 }
                if found != found.sorted() { differ("\(slot.name) of \(key): \(actual) at \(found)") }
            } else {
                actual = (value as? NSSet)?.compactMap { ($0 as? NSManagedObject)?.objectID.reference } ?? []
            }
            linkCount += actual.count
            if actual.sorted() != expected.map(\.key).sorted() {
                differ(
                    "\(entity.storedEntity.entity.name ?? "") \(key).\(slot.name): \(actual), stored: \(expected)"
                )
            }
        }
    }

}
