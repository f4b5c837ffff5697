import CoreData
import FuzzerDriver
import GRDB

/// The first inputs that are stores, small and of our own making.
enum StoreSeeds {
    static func write(to folder: URL) throws {
        let write = SeedFolder(folder).write
        for (type, subject) in [(NSXMLStoreType, "xml-stores"), (NSBinaryStoreType, "binary-stores")] {
            try write(try store(type), subject, "shelf")
        }
        try write(try store(NSSQLiteStoreType), "sqlite-stores", "shelf")
        try write(try store(NSSQLiteStoreType, keepsHistory: true), "sqlite-stores", "history")
    }

    /// The bytes of a store with a few objects. Pages of databases are small, so that the file is.
    private static func store(_ type: String, keepsHistory: Bool = false) throws -> Data {
        let folder = ScratchFolder()
        let file = folder.url.appendingPathComponent("Store")
        let options: [AnyHashable: Any]? = keepsHistory ? [NSPersistentHistoryTrackingKey: true] : nil
        let context = try Shelf.filledContext(type, file, options: options)
        for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
            try context.persistentStoreCoordinator?.remove(store)
        }
        if type == NSSQLiteStoreType {
            let queue = try DatabaseQueue(path: file.path)
            try queue.writeWithoutTransaction { database in
                _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
                try database.execute(sql: "PRAGMA page_size = 512")
                try database.execute(sql: "VACUUM")
            }
            try queue.close()
        }
        return try Data(contentsOf: file)
    }
}
