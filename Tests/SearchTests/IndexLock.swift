import Foundation
import GRDB

/// Keeps an index from being written.
final class IndexLock: @unchecked Sendable {
    // Unchecked: the connection has a queue of its own.
    private let connection: DatabaseQueue

    init(_ index: URL) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        connection = try DatabaseQueue(path: index.path, configuration: configuration)
        try connection.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
    }

    func end() throws {
        try connection.inDatabase { try $0.execute(sql: "COMMIT") }
        try connection.close()
    }
}
