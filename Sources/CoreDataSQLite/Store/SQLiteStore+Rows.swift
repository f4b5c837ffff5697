import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import GRDB
import ManagedObjectModel
import Synchronization

// What queries and relationships find in the file.

extension SQLiteStore {
    package func rows(for query: FetchQuery) throws -> RowList {
        try fetchCompiler.result(of: query) {
            try rows(rowRequest(for: query))
        } decided: {
            try $0.rows(of: self)
        }
    }

    /// A request for rows, put into SQL: nothing in it is a context's, so any queue may make it.
    struct RowRequest: Sendable {
        let statement: RenderedSQL
        fileprivate let decoder: RowDecoder
        fileprivate let table: UInt32
        fileprivate let isUnordered: Bool
        /// The list of columns that the statement begins with, if its rows may be collected inside of SQLite.
        fileprivate let collecting: String?
        let generation: SQLiteGeneration?
    }

    /// Puts a query into SQL. What its condition names, objects perhaps, is looked at here.
    ///
    /// - Parameter keys: if given, only rows that have one of the keys in a column.
    func rowRequest(
        for query: FetchQuery, keys: KeysInColumn? = nil
    ) throws -> RowRequest {
        let tables = tables
        let selection = tables.selection(of: tables.schema.entity(query.storedEntity))
        let compiler = tables.compiler
        let statement =
            keys == nil
            ? try compiler.wholeRows(query, columns: selection.list)
            : try tables.schema.dialect.render(compiler.rows(query, columns: selection.list, keys: keys))
        return RowRequest(
            statement: statement, decoder: RowDecoder(selection), table: query.storedEntity.table,
            isUnordered: query.isUnordered && keys == nil,
            collecting: query.isCollectable(keys?.keyCount) ? selection.collectable : nil,
            generation: query.pinned)
    }

    /// The objects that a query finds, as rows, read in a way that can be cancelled.
    ///
    /// - Parameter note: is called now and then with the number of rows read.
    func rows(
        _ request: RowRequest, _ cancellation: FetchCancellation? = nil, noting note: ((Int) -> Void)? = nil
    ) throws -> RowList {
        let rowCache = request.generation?.rowCache ?? rowCache
        let state = rowCache.state
        var rows = try readOnce(
            "fetch", cancellation ?? StoreSearch.readingCancellation, at: request.generation
        ) {
            try $0.rows(
                request.statement, request.decoder, Date.timeIntervalSinceReferenceDate,
                collecting: request.collecting, noting: note)
        }
        if request.isUnordered { rows.sortByReference() }
        rowCache.insert(rows, table: request.table, readAt: state)
        return rows
    }

    /// The objects that a query finds, as rows in which only some properties have their values.
    ///
    /// The row cache, which answers for whole objects, does not get them.
    package func partialRows(for query: FetchQuery, _ slots: PropertySet) throws -> RowList? {
        let tables = tables
        let selection = tables.selection(of: tables.schema.entity(query.storedEntity), only: slots)
        let statement: RenderedSQL? = try tables.compiler.result(of: query) {
            try tables.compiler.partialRows(query, slots, columns: selection.list)
        } decided: { _ in
            nil
        }
        guard let statement else { return nil }
        var rows = try find(query) {
            try $0.rows(
                statement, RowDecoder(selection), Date.timeIntervalSinceReferenceDate,
                collecting: query.isCollectable() ? selection.collectable : nil)
        }
        if query.isUnordered { rows.sortByReference() }
        return rows
    }

    /// Snapshots of the objects that a query finds, made of the columns that they have; nil where rows may be of several entities, or
    /// decide themselves.
    package func snapshots(
        for query: FetchQuery, of slots: PropertySet, _ schema: SnapshotSchema
    ) throws -> [ManagedObjectSnapshot]? {
        let tables = tables
        let entity = tables.schema.entity(query.storedEntity)
        guard entity.familyNumbers.count == 1 else { return nil }
        let selection = tables.selection(of: entity, only: slots, hasKeysAlone: true)
        let statement: RenderedSQL? = try tables.compiler.result(of: query) {
            try tables.compiler.snapshotRows(query, slots, columns: selection.list)
        } decided: { _ in
            nil
        }
        guard let statement, let only = selection.only else { return nil }
        return try find(query) {
            try $0.snapshots(
                statement, RowDecoder(selection), only, schema,
                collecting: query.isUnordered ? selection.collectable : nil, sortsByKey: query.isUnordered)
        }
    }

    /// Reads what a query finds, until the search that it is a part of is ended.
    private func find<Value>(
        _ query: FetchQuery, _ what: String = "fetch", _ body: (SQLiteReader) throws -> Value
    ) throws -> Value {
        try readOnce(what, StoreSearch.readingCancellation, at: query.pinned, body)
    }

    /// The entities and keys of the rows that a query finds, read one by one.
    package func identities(for query: FetchQuery) throws -> IdentityList {
        try fetchCompiler.result(of: query) {
            schema.entity(query.storedEntity).familyNumbers.count == 1
                ? try references(query)
                : try identities(fetchCompiler.keys(query), query)
        } decided: {
            var list = IdentityList()
            for row in try $0.rows(of: self) {
                if let storedEntity = storedEntity(number: row.entityNumber) {
                    list.append(storedEntity, row.reference)
                }
            }
            return list
        }
    }

    /// The identities of rows that are all of the fetched entity.
    private func references(_ query: FetchQuery) throws -> IdentityList {
        let tables = tables
        let selection = tables.selection(
            of: tables.schema.entity(query.storedEntity), only: PropertySet(), hasKeysAlone: true)
        let statement = try tables.compiler.snapshotRows(query, PropertySet(), columns: selection.list)
        return try find(query) { reader in
            var list = IdentityList()
            var last = Int64.min
            var isAscending = true
            try reader.forEachReferences(
                statement, collecting: query.isCollectable() ? selection.collectable : nil
            ) { references in
                for reference in references {
                    isAscending = isAscending && reference >= last
                    last = reference
                }
                list.append(query.storedEntity, contentsOf: references)
            }
            return isAscending || !query.isUnordered ? list : list.inKeyOrder
        }
    }

    private func identities(_ statement: RenderedSQL, _ query: FetchQuery) throws -> IdentityList {
        var storedEntities: [Int32: StoredEntity] = [:]
        for number in schema.entity(query.storedEntity).familyNumbers {
            storedEntities[number] = storedEntity(number: number)
        }
        return try find(query) { reader in
            var list = IdentityList()
            var last = Int64.min
            var lastNumber = Int32.min
            var isAscending = true
            try reader.forEachKey(statement) { number, reference in
                if number == lastNumber {
                    list.append(reference)
                } else if let storedEntity = storedEntities[number] {
                    list.append(storedEntity, reference)
                    lastNumber = number
                }
                isAscending = isAscending && reference >= last
                last = reference
            }
            return isAscending || !query.isUnordered ? list : list.inKeyOrder
        }
    }

    package func keys(for query: FetchQuery) throws -> [(entityNumber: Int32, reference: Int64)] {
        try fetchCompiler.result(of: query) {
            let statement = try fetchCompiler.keys(query)
            var keys = try find(query) {
                try $0.keys(statement)
            }
            if query.isUnordered { keys.sortUnlessAscending { $0.reference } }
            return keys
        } decided: {
            try $0.rows(of: self).map { ($0.entityNumber, $0.reference) }
        }
    }

    package func count(for query: FetchQuery) throws -> Int {
        try fetchCompiler.result(of: query) {
            let statement = try fetchCompiler.count(query)
            return try find(query, "count") {
                Int(try $0.integer(statement))
            }
        } decided: {
            try $0.rows(of: self).count
        }
    }

    package func dictionaries(for query: FetchQuery) throws -> [[String: Any]] {
        try fetchCompiler.result(of: query) {
            try dictionaries(dictionaryRequest(for: query))
        } decided: {
            try $0.dictionaries(of: self)
        }
    }

    /// A request for dictionaries, put into SQL, as `RowRequest`.
    struct DictionaryRequest: Sendable {
        let statement: RenderedSQL
        fileprivate let columns: [DictionaryColumn]
        let generation: SQLiteGeneration?
    }

    /// Puts a query into SQL. What its condition names, objects perhaps, is looked at here.
    func dictionaryRequest(for query: FetchQuery) throws -> DictionaryRequest {
        let (statement, columns) = try fetchCompiler.dictionaries(query)
        return DictionaryRequest(
            statement: try schema.dialect.render(statement), columns: columns, generation: query.pinned)
    }

    /// The dictionaries that a query finds, read in a way that can be cancelled.
    func dictionaries(
        _ request: DictionaryRequest, _ cancellation: FetchCancellation? = nil
    ) throws -> [[String: Any]] {
        try readOnce("fetch", cancellation, at: request.generation) {
            try $0.dictionaries(request.statement, request.columns)
        }
    }

    package func row(
        of storedEntity: StoredEntity, _ reference: Int64, notBefore: Double, for reader: StoreReader
    ) throws -> Row? {
        let key = ObjectKey(table: storedEntity.table, reference: reference)
        let generation = reader.pinned
        let rowCache = generation?.rowCache ?? rowCache
        if let row = rowCache.row(key), row.timestamp >= notBefore {
            // An ID can name another entity of the table than the row's.
            if row.entityNumber == storedEntity.entityNumber { return row }
            return schema.entity(storedEntity).familyNumbers.contains(row.entityNumber) ? row : nil
        }
        let (statement, decoder) = try rowStatement(storedEntity)
        let state = rowCache.state
        let rows = try readOnce("fetch", at: generation) {
            try $0.rows(
                statement.binding([.integer(reference)]), decoder, Date.timeIntervalSinceReferenceDate)
        }
        rowCache.insert(rows, table: storedEntity.table, readAt: state)
        return rows.first
    }

    /// The statement that finds an object of an entity by its key, which is the only argument.
    private func rowStatement(_ storedEntity: StoredEntity) throws -> (RenderedSQL, RowDecoder) {
        let file = file.withLock { $0 }
        let schema = file.tables.schema
        let entity = schema.entity(storedEntity)
        let selection = file.tables.selection(of: entity)
        let decoder = RowDecoder(selection)
        if let known = file.rowStatements.withLock({ $0[entity.number] }) { return (known, decoder) }
        var query = FetchQuery(storedEntity: storedEntity)
        query.references = [0]
        let statement = try schema.dialect.render(
            FetchCompiler(schema: schema).rows(query, columns: selection.list))
        file.rowStatements.withLock { $0[entity.number] = statement }
        return (statement, decoder)
    }

    package var rowState: RowCache.State? { rowCache.state }

    package func hasCachedRow(_ key: ObjectKey) -> Bool { rowCache.row(key) != nil }

    package func cachedRow(of storedEntity: StoredEntity, _ reference: Int64, notBefore: Double) -> Row? {
        let row = rowCache.row(ObjectKey(table: storedEntity.table, reference: reference))
        guard let row, row.timestamp >= notBefore, row.entityNumber == storedEntity.entityNumber else {
            return nil
        }
        return row
    }

    package func approachCachedRows(_ table: UInt32, _ keys: [(entityNumber: Int32, reference: Int64)]) {
        rowCache.approachRows(table, keys)
    }

    package func forgetRow(_ key: ObjectKey) { rowCache.update { $0.remove(key) } }
}

extension SQLiteStore: SnapshotStore {}

extension RowSelection {
    /// Whether a function can be called with all columns.
    fileprivate var isCollectable: Bool {
        headNames.count + columnNames.count <= CollectingFunction.maxColumns
    }

    /// The list of columns, if a function can be called with them.
    fileprivate var collectable: String? { isCollectable ? listText : nil }
}

extension StoreReader {
    /// The generation of a SQLite store that is read.
    var pinned: SQLiteGeneration? { generation as? SQLiteGeneration }
}

extension FetchQuery {
    /// The generation of a SQLite store that is read.
    var pinned: SQLiteGeneration? { reader.pinned }

    /// Whether rows can be collected inside of SQLite, and may be so many that it is worth while: of few rows, beginning and ending it
    /// takes longer than it saves.
    ///
    /// - Parameter keyCount: how many keys the rows have one of, if they are so limited.
    fileprivate func isCollectable(_ keyCount: Int? = nil) -> Bool {
        isUnordered && groupBy.isEmpty && having == nil && keyCount ?? .max > 1
            && references?.count ?? .max >= 16 && !(predicate?.requiresEquality ?? false)
    }
}

extension NSPredicate {
    /// Whether a condition requires that something equals something else, as look-ups do.
    fileprivate var requiresEquality: Bool {
        // A list, not calls of itself: a program may nest conditions as deep as it likes.
        var rest: [NSPredicate] = []
        var next: NSPredicate? = self
        while let condition = next {
            switch condition.shape {
            case .comparison(let comparison):
                if comparison.predicateOperatorType == .equalTo { return true }
            case .compound(.and, let parts): rest += parts
            case .compound, .value, .opaque: break
            }
            next = rest.popLast()
        }
        return false
    }
}
