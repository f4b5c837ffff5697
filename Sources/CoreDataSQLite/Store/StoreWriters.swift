import ObjectGraph
import GRDB
import Synchronization

/// Who has written to an open store: one context alone knows of all that it wrote.
final class StoreWriters: Sendable {
    private enum State: Sendable {
        /// No writer yet; the data version changes when another connection writes.
        case noWriter(dataVersion: Int64)
        case one(ObjectIdentifier, dataVersion: Int64)
        case several
    }

    private let state = Mutex(State.several)

    /// Begins without a writer, when the store is opened.
    func begin(_ connection: any DatabaseWriter) {
        do {
            let version = try connection.writeWithoutTransaction(DataVersion.read)
            state.withLock { $0 = .noWriter(dataVersion: version) }
        } catch {
            Log.store.error("Could not find out who else writes to the store: \(error.localizedDescription)")
            noteOthers()
        }
    }

    /// Notes that a context writes; whether others have written, too, since the store was opened.
    ///
    /// - Parameters:
    ///   - client: the context that writes; nil for what no context does.
    ///   - database: the connection that writes, in a transaction.
    /// - Throws: an error of SQLite.
    func areSeveral(with client: (any StoreClient)?, _ database: Database) throws -> Bool {
        let version = try DataVersion.read(database)
        return state.withLock { state in
            switch (state, client.map { ObjectIdentifier($0) }) {
            case (.noWriter(version), let writer?):
                state = .one(writer, dataVersion: version)
                return false
            case (.one(let only, version), let writer?) where only == writer: return false
            default:
                state = .several
                return true
            }
        }
    }

    /// Notes a writer that is not a context.
    func noteOthers() { state.withLock { $0 = .several } }
}
