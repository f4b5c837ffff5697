import ArgumentParser

/// `coredata store`.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Inspects, checks, copies, compares and prepares stores.",
        discussion: """
            A store is a SQLite, XML or binary file that Core Data wrote, Apple's or this one. Newer SQLite stores hold a \
            copy of their model; for others, a model is reconstructed from their tables or objects. --model gives the \
            real one, in any form.

            Commands that only read change nothing: neither the file nor the log beside it.
            """,
        subcommands: [
            StoreInfoCommand.self, StoreSchemaCommand.self, StoreDumpCommand.self, StoreQueryCommand.self,
            StoreSearchCommand.self, StoreCheckCommand.self, StoreExportCommand.self, StoreImportCommand.self,
            StoreDiffCommand.self, StoreMetadataCommand.self, PrepareForAppleCommand.self,
        ])
}
