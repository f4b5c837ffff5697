@testable import CoreDataSQL
@testable import CoreDataSQLite
@testable import ObjectGraph

/// A dialect that has no form for anything but comparisons of values.
struct PoorDialect: SchemaDialect {
    private let sqlite = SQLiteDialect()

    func quoted(_ name: String) -> String { sqlite.quoted(name) }

    func arguments(ofWindow limit: Int64?, _ offset: Int64) -> [SQLValue] {
        sqlite.arguments(ofWindow: limit, offset)
    }

    func write(_ piece: SQLPiece, to text: inout SQLText) throws { try sqlite.write(piece, to: &text) }

    func obstacle(to piece: SQLPiece) -> String? {
        switch piece {
        case .textMatch, .contains, .folded, .function, .call, .aggregate, .arithmetic: "it is poor"
        case .order(_, let order?, _) where order != .compare: "it is poor"
        default: nil
        }
    }
}

extension SQLiteStore {
    /// Has the statements of the store written for a poor database from now on.
    func becomePoor() {
        let schema = SQLSchema.design(storedEntities: storedEntities, dialect: PoorDialect())
        let poor = OpenFile(schema, history)
        file.withLock { $0 = poor }
    }
}
