import Foundation
import GRDB

extension SQLiteStoreTables {
    /// Whether the file has a table for a copy of the model, and whether what is in it cannot be read.
    ///
    /// - Throws: as `read`.
    package func modelCopy() throws -> (exists: Bool, isDamaged: Bool) {
        try read { (try $0.tableExists(ModelCache.table), try ModelCache.isDamaged($0)) }
    }

    /// Replaces the bytes of the copy of the model, where the file has one.
    ///
    /// - Parameter archive: the archive of a model, in raw deflate.
    /// - Throws: as `write`.
    package func replaceModelArchive(_ archive: Data) throws {
        try write {
            try $0.execute(sql: "UPDATE \(ModelCache.table) SET Z_CONTENT = ?", arguments: [archive])
        }
    }
}
