import CoreDataSQL
import CoreData

/// One of two stores that are compared.
struct ComparedStore {
    let contents: any StoreContents
    let values: ObjectValues
    /// Those that have objects, by name.
    let entities: [String: SQLEntity]

    init(_ contents: any StoreContents) {
        self.contents = contents
        values = ObjectValues(contents.snapshot, isBrief: true)
        entities = Dictionary(
            contents.schema.entities.filter { !$0.storedEntity.entity.isAbstract }.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The values of objects of an entity itself, by key.
    func objects(
        _ keys: [Int64], _ entity: SQLEntity, _ fields: [ObjectValues.Field]
    ) throws -> [Int64: [String: JSONValue]] {
        guard !keys.isEmpty else { return [:] }
        let rows = try contents.snapshot.rows(of: entity, references: keys).filter {
            $0.entityNumber == entity.number
        }
        return Dictionary(
            zip(rows.map(\.reference), try values.objects(rows, of: entity, fields)),
            uniquingKeysWith: { first, _ in first })
    }
}

/// Which object of one store is which of another.
final class ObjectPartners {
    private let old: ComparedStore
    private let new: ComparedStore
    private let matching: StoreComparison.Matching
    /// What was found for references, which many objects have in common.
    private var translations: [String: String] = [:]
    private static let maximumTranslations = 100_000

    init(_ old: ComparedStore, _ new: ComparedStore, _ matching: StoreComparison.Matching) {
        self.old = old
        self.new = new
        self.matching = matching
    }

    /// The key that an object of the old store has in the new one; nil when it is not there.
    func new(of key: Int64, _ entity: SQLEntity) throws -> Int64? {
        try partner(of: key, entity, from: old, to: new)
    }

    /// The key that an object of the new store has in the old one; nil when it is not there.
    func old(of key: Int64, _ entity: SQLEntity) throws -> Int64? {
        try partner(of: key, entity, from: new, to: old)
    }

    private func partner(
        of key: Int64, _ entity: SQLEntity, from source: ComparedStore, to target: ComparedStore
    ) throws -> Int64? {
        guard let other = target.entities[entity.name] else { return nil }
        let connection = target.contents.connection
        if matching == .constraint, let (columns, others) = Self.constraint(entity, other),
            let values = try self.values(of: key, columns, entity, source)
        {
            return try connection.firstInteger(
                RowLookup.key(of: other, where: zip(others, values).map { ($0, $1) }))
        }
        return try connection.firstInteger(RowLookup.key(key, of: other))
    }

    /// The columns of the first uniqueness constraint that both entities have.
    private static func constraint(_ entity: SQLEntity, _ other: SQLEntity) -> ([String], [String])? {
        var described: NSEntityDescription? = entity.storedEntity.entity
        while let current = described {
            if let constraint = current.uniquenessConstraints.first {
                let names = constraint.compactMap { part in
                    (part as? String) ?? (part as? NSPropertyDescription)?.name
                }
                let columns = names.compactMap { column($0, entity) }
                let others = names.compactMap { column($0, other) }
                if !names.isEmpty, columns.count == names.count, others.count == names.count {
                    return (columns, others)
                }
            }
            described = current.superentity
        }
        return nil
    }

    private static func column(_ name: String, _ entity: SQLEntity) -> String? {
        guard let slot = entity.storedEntity.layout.index(of: name), let column = entity.column(slot: slot),
            column.kind != .toOne
        else { return nil }
        return column.name
    }

    /// The values of an object; nil when one of them is null.
    private func values(
        of key: Int64, _ columns: [String], _ entity: SQLEntity, _ store: ComparedStore
    ) throws -> [SQLValue]? {
        var found: [SQLValue]?
        try store.contents.connection.forEachRow(of: RowLookup.values(key, of: entity, columns)) { row in
            found = columns.indices.map(row.value)
        }
        return found?.contains(.null) == true ? nil : found
    }

    /// References of the old store as those of the new one. Those that lead nowhere there stay.
    func translated(_ value: JSONValue) throws -> JSONValue {
        switch value {
        case .string(let text) where matching == .constraint: return .string(try translated(text))
        case .array(let elements): return .array(try elements.map(translated))
        default: return value
        }
    }

    private func translated(_ text: String) throws -> String {
        if let found = translations[text] { return found }
        guard let reference = ObjectReference(text), let entity = old.entities[reference.entity] else {
            return text
        }
        // One that has no partner must not be taken for the object that has its key there.
        let key = try new(of: reference.key, entity)
        let result =
            key.map { "\(ObjectReference(entity: reference.entity, key: $0))" } ?? "\(text) (removed)"
        if translations.count >= Self.maximumTranslations { translations.removeAll() }
        translations[text] = result
        return result
    }
}
