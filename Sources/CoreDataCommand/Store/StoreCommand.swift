import ArgumentParser

/// `coredata store`.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Looks into stores, checks, copies, compares and prepares them.",
        discussion: """
            A store is a SQLite, XML or binary file that Core Data wrote, Apple's or this one. Newer SQLite stores hold a \
            copy of their model; of others, what their tables or objects tell is taken. --model takes the real one, in \
            any form.

            Commands that only read change nothing: neither the file nor the log beside it.
            """,
        subcommands: [
            StoreInfoCommand.self, StoreSchemaCommand.self, StoreDumpCommand.self, StoreQueryCommand.self,
            StoreCheckCommand.self, StoreExportCommand.self, StoreImportCommand.self, StoreDiffCommand.self,
            StoreMetadataCommand.self, PrepareForAppleCommand.self,
        ])
}
