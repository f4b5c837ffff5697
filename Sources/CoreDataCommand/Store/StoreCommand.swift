import ArgumentParser

/// `coredata store`.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Looks into stores, checks, copies, compares and prepares them.",
        discussion: """
            A store is a SQLite file that Core Data wrote, Apple's or this one. Newer ones hold a copy of their model; \
            for others, and where the copy is not to be used, --model takes a model in any form.

            Commands that only read change nothing: neither the file nor the log beside it.
            """,
        subcommands: [
            StoreInfoCommand.self, StoreSchemaCommand.self, StoreDumpCommand.self, StoreQueryCommand.self,
            StoreCheckCommand.self, StoreExportCommand.self, StoreImportCommand.self, StoreDiffCommand.self,
            StoreMetadataCommand.self, PrepareForAppleCommand.self,
        ])
}
