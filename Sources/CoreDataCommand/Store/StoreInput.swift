import ArgumentParser
import CoreData
import StoreTools

/// A store that a command was given, and its model.
struct StoreInput: ParsableArguments {
    @Argument(help: "A store: SQLite, XML or binary.", completion: .file())
    var store: String

    @OptionGroup var model: StoreModelInput

    var url: URL { URL(fileURLWithPath: store) }

    /// Opens the store for reading.
    func open() throws -> OpenStore {
        let model = try model.load()
        let source = try CommandFailure.wrapping { try OpenStore(url, model: model) }
        for notice in source.notices { Output.error.write("warning: \(notice)") }
        return source
    }
}

/// The model of a store, where its own copy is not to be used.
struct StoreModelInput: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The model: .xcdatamodeld, .xcdatamodel, .momd, .mom, or another SQLite store. Without it, the copy that a SQLite store holds, or a model reconstructed from the tables or objects."
        ),
        completion: .file())
    var model: String?

    @Option(help: "The version of a versioned model; without it the current one.")
    var modelVersion: String?

    func validate() throws {
        if modelVersion != nil, model == nil { throw ValidationError("--model-version needs --model.") }
    }

    func load() throws -> NSManagedObjectModel? {
        try model.map { try ModelInput.load($0, version: modelVersion) }
    }
}
