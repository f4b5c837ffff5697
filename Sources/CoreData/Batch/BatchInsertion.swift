import Foundation
import ManagedObjectModel

/// Writes the rows of an `NSBatchInsertRequest`, some hundred at a time.
struct BatchInsertion {
    private let batch: StoreBatch
    private let home: StoredEntity
    private let policy: NSMergePolicyType
    private let constraints: [BatchConstraint]
    private var pending: [BatchRow] = []
    private var outcome: BatchOutcome
    /// How many rows were given.
    private var givenCount = 0

    init(_ batch: StoreBatch, _ home: StoredEntity, policy: NSMergePolicyType?, keepingIDs: Bool) {
        self.batch = batch
        self.home = home
        self.policy = policy ?? .errorMergePolicyType
        constraints = BatchConstraint.all(of: batch.schema.entity(home), batch.schema)
        outcome = BatchOutcome(keepingIDs: keepingIDs)
    }

    /// Writes one row for each that the source gives.
    mutating func run(_ source: NSBatchInsertRequest.Source) throws -> BatchOutcome {
        var encoder = BatchRowEncoder(home)
        switch source {
        case .dictionaries(let dictionaries):
            for dictionary in dictionaries {
                try add(&encoder) { encoder throws in try encoder.row(dictionary.lazy.map { ($0, $1) }) }
            }
        case .dictionaryHandler(let handler):
            let dictionary = NSMutableDictionary()
            while !handler(dictionary) {
                var given: [(key: String, value: Any)] = []
                for (key, value) in dictionary { given.append(("\(key)", value)) }
                try add(&encoder) { encoder throws in try encoder.row(given) }
                dictionary.removeAllObjects()
            }
        case .objectHandler(let handler):
            while true {
                let object = home.layout.objectClass.init(entity: home.entity, insertInto: nil)
                // What `init` sets is a default, and no value that was given.
                if handler(object) { break }
                try add(&encoder) { encoder throws in try encoder.row(object) }
            }
        }
        try flush(&encoder)
        return outcome
    }

    private mutating func add(
        _ encoder: inout BatchRowEncoder, _ make: (inout BatchRowEncoder) throws -> BatchRow
    ) throws {
        do {
            pending.append(try make(&encoder))
        } catch let error as NSError {
            var userInfo = error.userInfo
            userInfo[NSLocalizedDescriptionKey] =
                "\(error.localizedDescription) (Row \(givenCount) of the batch.)"
            throw NSError(domain: error.domain, code: error.code, userInfo: userInfo)
        }
        givenCount += 1
        if pending.count >= StoreBatch.chunk { try flush(&encoder) }
    }

    private mutating func flush(_ encoder: inout BatchRowEncoder) throws {
        guard !pending.isEmpty else { return }
        var rows = SettledRows(pending, policy, home)
        pending.removeAll(keepingCapacity: true)
        for constraint in constraints { try rows.settle(constraint, batch, &encoder) }
        var unit = UnitOfWork()
        for entry in rows.entries where !entry.isDropped {
            guard let target = entry.target else {
                unit.inserts.append(.init(home: home, row: entry.new.row))
                continue
            }
            unit.updates.append(
                .init(
                    home: home, old: target, row: encoder.merge(entry.new, over: target),
                    changed: entry.new.given, changedLinks: PropertySet()))
        }
        let saved = try batch.run(unit)
        for row in saved.inserted + saved.updated { outcome.add(home, row.reference) }
    }
}

/// A uniqueness constraint as the rows of one entity meet it.
struct BatchConstraint {
    let names: [String]
    /// The entity that declares it, whose table has the index, and its columns.
    let declaring: SQLEntity
    let declaredColumns: [SQLColumn]
    /// The entities whose rows the index covers, with the columns as their rows have them.
    let covered: [(entity: SQLEntity, columns: [SQLColumn])]
    /// The columns in the rows of the entity itself.
    let columns: [SQLColumn]

    /// Those that rows of an entity must meet.
    static func all(of entity: SQLEntity, _ schema: SQLSchema) -> [BatchConstraint] {
        schema.entities.filter { $0.table == entity.table }.flatMap { declaring in
            declaring.home.entity.uniquenessConstraintNames.compactMap { names in
                let covered = schema.constrained(by: names, of: declaring)
                guard let declared = schema.columns(of: names, declaring),
                    let own = covered.first(where: { $0.entity.number == entity.number })
                else { return nil }
                return BatchConstraint(
                    names: names, declaring: declaring, declaredColumns: declared, covered: covered,
                    columns: own.columns)
            }
        }
    }

    /// What is the same for rows that the index takes to be the same; nil for one without a value.
    func key(of row: Row) -> [UInt8]? {
        covered.first { $0.entity.number == row.entityNumber }.flatMap { row.uniqueValues($0.columns)?.key }
    }

    /// The rows of the store that have certain values.
    func stored(_ values: [[SQLValue]], _ batch: StoreBatch) throws -> [Row] {
        let decoder = RowDecoder(family: covered.map(\.entity))
        var found: [Row] = []
        for start in stride(from: 0, to: values.count, by: 250) {
            let statement = batch.schema.rows(
                of: declaring, where: declaredColumns,
                have: Array(values[start..<min(start + 250, values.count)]),
                among: covered.map(\.entity.number),
                selecting: decoder.columnNames)
            found += try SQLiteReader(batch.database).rows(
                statement, decoder, Date.timeIntervalSinceReferenceDate)
        }
        return found
    }
}

/// Rows that are about to be written, after the merge policy decided about those whose values are there already.
private struct SettledRows {
    struct Entry {
        var new: BatchRow
        /// The row of the store that takes the values.
        var target: Row?
        var isDropped = false
    }

    private(set) var entries: [Entry]
    private let policy: NSMergePolicyType
    private let home: StoredEntity

    init(_ rows: [BatchRow], _ policy: NSMergePolicyType, _ home: StoredEntity) {
        entries = rows.map { Entry(new: $0) }
        self.policy = policy
        self.home = home
        guard policy == .overwriteMergePolicyType else { return }
        var all = PropertySet()
        for (slot, info) in home.layout.slots.enumerated() where info.isStored && !info.isDerived {
            all.insert(slot)
        }
        for index in entries.indices { entries[index].new.given = all }
    }

    mutating func settle(
        _ constraint: BatchConstraint, _ batch: StoreBatch, _ encoder: inout BatchRowEncoder
    ) throws {
        var first: [[UInt8]: Int] = [:]
        var values: [[SQLValue]] = []
        for index in entries.indices where !entries[index].isDropped {
            guard let unique = entries[index].new.row.uniqueValues(constraint.columns) else { continue }
            guard let earlier = first[unique.key] else {
                first[unique.key] = index
                values.append(unique.values)
                continue
            }
            guard try takesNewValues(constraint) else {
                entries[index].isDropped = true
                continue
            }
            let old = entries[earlier].new
            var merged = BatchRow(row: encoder.merge(entries[index].new, over: old.row), given: old.given)
            for slot in entries[index].new.given { merged.given.insert(slot) }
            entries[earlier].new = merged
            entries[index].isDropped = true
        }
        guard !values.isEmpty else { return }
        for row in try constraint.stored(values, batch) {
            guard let key = constraint.key(of: row), let index = first[key] else { continue }
            guard try takesNewValues(constraint) else {
                entries[index].isDropped = true
                continue
            }
            // A row of another entity has other columns, and two rows cannot become one.
            guard row.entityNumber == home.entityNumber,
                entries[index].target.map({ $0.reference == row.reference }) ?? true
            else { throw violation(constraint) }
            entries[index].target = row
        }
    }

    /// Whether what is there takes the values of the new row.
    ///
    /// - Throws: 133021 when the policy settles nothing.
    private func takesNewValues(_ constraint: BatchConstraint) throws -> Bool {
        switch policy {
        case .errorMergePolicyType: throw violation(constraint)
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType: true
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: false
        }
    }

    private func violation(_ constraint: BatchConstraint) -> NSError {
        .coreData(
            .managedObjectConstraintMerge,
            """
            Cannot insert a row of entity '\(home.entity.name ?? "")': another one has the same \
            \(constraint.names.joined(separator: ", ")).
            """, [NSValidationKeyErrorKey: constraint.names.joined(separator: ",")])
    }
}
