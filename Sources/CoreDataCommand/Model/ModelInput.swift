import ArgumentParser
import Foundation
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
        try CommandFailure.wrapping { try ModelSource(path: path, version: version).load() }
    }
}
