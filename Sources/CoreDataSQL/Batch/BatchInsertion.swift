import ObjectGraph
import Foundation
import ManagedObjectModel

/// Writes the rows of an `NSBatchInsertRequest`, some hundred at a time.
package struct BatchInsertion {
    private let batch: StoreBatch
    private let storedEntity: StoredEntity
    private let policy: NSMergePolicyType
    private let constraints: [BatchConstraint]
    private var pending: [BatchRow] = []
    private var outcome: BatchOutcome
    /// How many rows were given.
    private var givenCount = 0

    package init(
        _ batch: StoreBatch, _ storedEntity: StoredEntity, policy: NSMergePolicyType?, keepingIDs: Bool
    ) {
        self.batch = batch
        self.storedEntity = storedEntity
        self.policy = policy ?? .errorMergePolicyType
        constraints = BatchConstraint.all(of: batch.schema.entity(storedEntity), batch.schema)
        outcome = BatchOutcome(keepingIDs: keepingIDs)
    }

    /// Writes one row for each that the source gives.
    package mutating func run(_ source: NSBatchInsertRequest.Source) throws -> BatchOutcome {
        var encoder = BatchRowEncoder(storedEntity)
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
                let object = storedEntity.layout.objectClass.init(
                    entity: storedEntity.entity, insertInto: nil)
                // What `init` sets is a default, and no value that was given.
                object.touched = PropertySet()
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
        // One row at a time where rows may replace others: also of those before them in the batch.
        if pending.count >= (constraints.isEmpty ? StoreBatch.chunk : 1) { try flush(&encoder) }
    }

    private mutating func flush(_ encoder: inout BatchRowEncoder) throws {
        guard !pending.isEmpty else { return }
        var unit = UnitOfWork()
        for new in pending {
            switch try resolved(new, &encoder) {
            case .insertion: unit.inserts.append(.init(storedEntity: storedEntity, row: new.row))
            case .update(let target, let given):
                let row = try encoder.merge(BatchRow(row: new.row, given: given), over: target)
                unit.updates.append(
                    .init(
                        storedEntity: storedEntity, old: target, row: row, changed: given,
                        changedLinks: PropertySet()))
            case .nothing: continue
            }
        }
        pending.removeAll(keepingCapacity: true)
        let saved = try batch.run(unit)
        for row in saved.inserted + saved.updated { outcome.add(storedEntity, row.reference) }
    }

    // MARK: Values that must be unique

    /// What becomes of a row.
    private enum Resolution {
        case insertion
        /// A row of the store takes the values of some slots.
        case update(Row, PropertySet)
        case nothing
    }

    /// - Throws: 133021 where one row would replace two.
    private func resolved(_ new: BatchRow, _ encoder: inout BatchRowEncoder) throws -> Resolution {
        var given = policy == .overwriteMergePolicyType ? allSlots : new.given
        var target: Row?
        for constraint in constraints {
            let row =
                try target.map { try encoder.merge(BatchRow(row: new.row, given: given), over: $0) }
                ?? new.row
            guard let values = row.uniqueValues(constraint.columns)?.values else { continue }
            for other in try constraint.stored(values, batch) where other.reference != target?.reference {
                switch policy {
                // Apple's framework writes INSERT OR IGNORE under NSErrorMergePolicy.
                case .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
                    .rollbackMergePolicyType:
                    return .nothing
                case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType: break
                }
                // A row of another entity has other columns, and two rows cannot become one.
                guard target == nil, other.entityNumber == storedEntity.entityNumber else {
                    throw violation(constraint)
                }
                target = other
                // They are equal, and so do not count as changed.
                for name in constraint.names {
                    if let slot = storedEntity.layout.index(of: name) { given.remove(slot) }
                }
            }
        }
        return target.map { .update($0, given) } ?? .insertion
    }

    private var allSlots: PropertySet {
        var all = PropertySet()
        for (slot, info) in storedEntity.layout.slots.enumerated()
        where info.isStored && !info.isDerived && info.kind != .toMany { all.insert(slot) }
        return all
    }

    private func violation(_ constraint: BatchConstraint) -> NSError {
        .coreData(
            .managedObjectConstraintMerge,
            """
            Cannot insert a row of entity '\(storedEntity.entity.name ?? "")': another one has the same \
            \(constraint.names.joined(separator: ", ")).
            """, [NSValidationKeyErrorKey: constraint.names.joined(separator: ",")])
    }
}

/// A uniqueness constraint as the rows of one entity meet it.
struct BatchConstraint {
    let names: [String]
    /// The entity that declares it, whose table has the index, and its columns.
    let declaring: SQLEntity
    let declaredColumns: [SQLColumn]
    /// The numbers of the entities whose rows the index covers, and what reads these rows.
    let covered: [Int32]
    let selection: RowSelection
    /// The columns in the rows of the entity itself.
    let columns: [SQLColumn]

    /// Those that rows of an entity must meet.
    static func all(of entity: SQLEntity, _ schema: SQLSchema) -> [BatchConstraint] {
        schema.entities.filter { $0.table == entity.table }.flatMap { declaring in
            declaring.storedEntity.entity.uniquenessConstraintNames.compactMap { names in
                let covered = schema.constrained(by: names, of: declaring)
                guard let declared = schema.columns(of: names, declaring),
                    let own = covered.first(where: { $0.entity.number == entity.number })
                else { return nil }
                return BatchConstraint(
                    names: names, declaring: declaring, declaredColumns: declared,
                    covered: covered.map(\.entity.number),
                    selection: RowSelection(family: covered.map(\.entity)),
                    columns: own.columns)
            }
        }
    }

    /// The rows of the store that have certain values.
    func stored(_ values: [SQLValue], _ batch: StoreBatch) throws -> [Row] {
        let statement = batch.schema.rows(
            of: declaring, where: declaredColumns, have: [values], among: covered,
            selecting: selection.names)
        return try batch.connection.rows(statement, as: selection)
    }
}
