import ArgumentParser
import CoreData
import ModelTools

/// A model that a command was given.
struct ModelInput: ParsableArguments {
    @Argument(
        help: "A model: .xcdatamodeld, .xcdatamodel, .momd, .mom, or a SQLite store.",
        completion: .file())
    var path: String

    @Option(help: "The version of a versioned model; without it the current one.")
    var version: String?

    func load() throws -> NSManagedObjectModel { try Self.load(path, version: version) }

    static func load(_ path: String, version: String? = nil) throws -> NSManagedObjectModel {
        try CommandFailure.wrapping {
            let url = URL(fileURLWithPath: path)
            if isStore(url) {
                guard version == nil else { throw CommandFailure("A store has one model, and no versions.") }
                return try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                    ofType: NSSQLiteStoreType, at: url, options: [NSReadOnlyPersistentStoreOption: true])
            }
            return try ModelSource(path: path, version: version).load()
        }
    }

    static func isStore(_ url: URL) -> Bool { StoreFileReader.isDatabase(url.path) }
}
