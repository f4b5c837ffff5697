import CSQLiteHardening
import CoreDataSQL
import GRDB
import GRDBSQLite
import ManagedObjectModel
import ObjectGraph

/// The rows of a save as a table that SQLite reads, so that one statement inserts all of them: `INSERT … SELECT … FROM f(feed)`.
///
/// A statement for each row takes twice as long: beginning it, opening the table and its indexes, and ending it take as long as the row.
/// The statement is INSERT OR FAIL: a row that the database refuses ends the statement and leaves those before it, as with a statement for each row,
/// and SQLite need not keep a copy of each page that the statement changes.
struct RowFeed {
    /// The rows, which the caller of the statement keeps.
    let rows: UnsafeBufferPointer<RowPointer>
    /// The columns after `Z_PK, Z_ENT, Z_OPT`.
    let columns: UnsafeBufferPointer<RowBinding.Column>

    /// How many columns the table has: a row of more is inserted by a statement of its own.
    static let maxColumns = 100
    /// With fewer rows, looking for triggers takes as long as the one statement saves.
    static let leastRows = 64

    private static let name = "OpenCoreDataNewRows"
    /// How SQLite knows the pointer of the argument.
    private static let type: StaticString = "OpenCoreDataRowFeed"

    private static var typeName: UnsafePointer<CChar> {
        UnsafeRawPointer(type.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// The statement that inserts rows of an entity; nil if each row needs a statement of its own.
    ///
    /// That is so for very many columns, and for a table with triggers: OR FAIL would replace the OR clauses of the statements in them,
    /// `TriggerBudget` counts what one statement does, and SQLite would copy all rows before it inserts the first. A file can also have
    /// a table of this one's name, which SQLite would read instead.
    ///
    /// - Throws: `DatabaseError`.
    static func statement(
        _ entity: SQLEntity, _ dialect: any SQLDialect, _ database: Database
    ) throws -> String? {
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + entity.columns.map(\.name)
        var isPossible = names.count <= maxColumns
        try PreparedStatements.step(
            """
            SELECT 1 FROM sqlite_master WHERE (type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE) \
            OR name = ?2 COLLATE NOCASE
            """, [.text(entity.table), .text(name)], database
        ) { _ in
            isPossible = false
        }
        guard isPossible else { return nil }
        let list = names.map(dialect.quoted).joined(separator: ", ")
        let values = names.indices.map { "c\($0)" }.joined(separator: ", ")
        return "INSERT OR FAIL INTO \(dialect.quoted(entity.table))(\(list)) SELECT \(values) FROM \(name)(?)"
    }

    /// Binds the feed to a statement of `statement(_:)`, which uses it until it is reset; returns SQLite's code.
    static func bind(_ feed: UnsafeMutablePointer<RowFeed>, to statement: OpaquePointer) -> Int32 {
        sqlite3_bind_pointer(statement, 1, feed, typeName, nil)
    }

    // MARK: The table

    static func install(on database: Database) {
        sqlite3_create_module_v2(database.sqliteConnection, name, module, nil, nil)
    }

    /// How SQLite declares the table: values of no type, and the argument.
    private static let declaration =
        "CREATE TABLE x(\((0..<maxColumns).map { "c\($0)" }.joined(separator: ", ")), feed HIDDEN)"

    /// What SQLite calls. It keeps the pointer as long as there is a connection; nothing changes it.
    private nonisolated(unsafe) static let module: UnsafePointer<sqlite3_module> = {
        var module = sqlite3_module()
        // There is one table of the name, which no statement makes.
        module.xConnect = { connection, _, _, _, table, _ in
            guard let table else { return SQLITE_MISUSE }
            let code = sqlite3_declare_vtab(connection, RowFeed.declaration)
            guard code == SQLITE_OK else { return code }
            let restricted = csqlite_vtab_directonly(connection)
            guard restricted == SQLITE_OK else { return restricted }
            table.pointee = .allocate(capacity: 1)
            table.pointee?.initialize(to: sqlite3_vtab())
            return SQLITE_OK
        }
        module.xDisconnect = { table in
            table?.deallocate()
            return SQLITE_OK
        }
        module.xBestIndex = { _, plan in RowFeed.plan(plan) }
        module.xOpen = { _, cursor in
            assert(MemoryLayout<Cursor>.offset(of: \Cursor.base) == 0, "SQLite has a pointer to the base.")
            let made = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            made.initialize(to: Cursor())
            cursor?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.xClose = { cursor in
            cursor?.deallocate()
            return SQLITE_OK
        }
        module.xFilter = { cursor, _, _, count, arguments in
            guard let cursor = Cursor.of(cursor), count == 1, let arguments,
                let feed = sqlite3_value_pointer(arguments[0], RowFeed.typeName)
            else { return SQLITE_MISUSE }
            cursor.pointee.feed = UnsafePointer(feed.assumingMemoryBound(to: RowFeed.self))
            cursor.pointee.index = 0
            return SQLITE_OK
        }
        module.xNext = { cursor in
            Cursor.of(cursor)?.pointee.index += 1
            return SQLITE_OK
        }
        module.xEof = { cursor in
            guard let cursor = Cursor.of(cursor), let feed = cursor.pointee.feed else { return 1 }
            return cursor.pointee.index < feed.pointee.rows.count ? 0 : 1
        }
        module.xColumn = { cursor, context, column in
            guard let cursor = Cursor.of(cursor), let feed = cursor.pointee.feed, let context else {
                return SQLITE_MISUSE
            }
            feed.pointee.give(cursor.pointee.index, Int(column), to: context)
            return SQLITE_OK
        }
        module.xRowid = { cursor, number in
            number?.pointee = Int64(Cursor.of(cursor)?.pointee.index ?? 0)
            return SQLITE_OK
        }
        let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        pointer.initialize(to: module)
        return UnsafePointer(pointer)
    }()

    /// A statement's place in the rows.
    private struct Cursor {
        /// First, since SQLite has a pointer to it.
        var base = sqlite3_vtab_cursor()
        var feed: UnsafePointer<RowFeed>?
        var index = 0

        @inline(__always)
        static func of(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<Cursor>?
        {
            cursor.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Cursor.self) }
        }
    }

    /// Has SQLite pass the argument; a statement without one cannot be prepared.
    private static func plan(_ plan: UnsafeMutablePointer<sqlite3_index_info>?) -> Int32 {
        guard let plan, let constraints = plan.pointee.aConstraint, let usage = plan.pointee.aConstraintUsage
        else { return SQLITE_CONSTRAINT }
        for index in 0..<Int(plan.pointee.nConstraint)
        where Int(constraints[index].iColumn) == maxColumns && constraints[index].usable != 0
            && Int32(constraints[index].op) == SQLITE_INDEX_CONSTRAINT_EQ
        {
            usage[index].argvIndex = 1
            usage[index].omit = 1
            plan.pointee.estimatedCost = 1
            return SQLITE_OK
        }
        return SQLITE_CONSTRAINT
    }

    /// Gives SQLite a value of a row.
    @inline(__always)
    private func give(_ index: Int, _ column: Int, to context: OpaquePointer) {
        let row = rows[index]
        switch column {
        case 0: sqlite3_result_int64(context, row.reference)
        case 1: sqlite3_result_int64(context, Int64(row.entityNumber))
        case 2: sqlite3_result_int64(context, row.version)
        case let column where column - 3 < columns.count:
            _ = RowBinding.give(row, columns[column - 3], to: ResultReceiver(context: context))
        default: sqlite3_result_null(context)
        }
    }
}
