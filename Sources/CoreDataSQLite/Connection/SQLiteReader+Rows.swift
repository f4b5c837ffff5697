import CoreDataSQL
import GRDBSQLite
import ObjectGraph

extension SQLiteReader: SQLReading {
    func forEachRow(of statement: RenderedSQL, _ body: (any SQLRow) throws -> Void) throws {
        try step(statement) { try body(SQLiteRow($0)) }
    }

    func forEachRow(
        of statement: RenderedSQL, as selection: RowSelection, timestamp: Double, _ body: (Row) throws -> Void
    ) throws {
        let decoder = RowDecoder(selection)
        var builder = RowBuilder()
        var values = RowValues()
        try step(statement) {
            values.read($0)
            let row = try decoder.put(values, &builder, timestamp: timestamp)
            try body(builder.row(at: row))
        }
    }

    func forEachPair(of statement: RenderedSQL, _ body: (Int64, Int64) throws -> Void) throws {
        try step(statement) { try body(sqlite3_column_int64($0, 0), sqlite3_column_int64($0, 1)) }
    }
}
