import Foundation
import ObjectGraph

/// Why a database cannot decide a condition or compute a value, though SQL has words for it.
///
/// Rows decide the conditions of fetches and of batch requests then. For a value that a batch update would have the database compute,
/// clients get the error 134060.
package struct SQLObstacle: Error, CustomNSError, CustomStringConvertible {
    /// A clause that says what there is not: "it does not compare strings under options".
    package let reason: String

    package var description: String { reason }

    package static var errorDomain: String { NSCocoaErrorDomain }
    package var errorCode: Int { NSError.coreData(.coreData, reason).code }
    package var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: "The database of the store cannot compute the request: \(reason)."]
    }
}

extension SQLDialect {
    /// A piece as a statement.
    ///
    /// - Throws: `SQLObstacle` where the database has no form for it.
    package func checked(_ piece: SQLPiece) throws -> SQLStatement {
        if let reason = obstacle(to: piece) { throw SQLObstacle(reason: reason) }
        return SQLStatement(piece)
    }
}
