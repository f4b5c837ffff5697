import ArgumentParser

/// `coredata model`.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Reads, checks, compares, compiles and writes models.",
        discussion: """
            A model is a folder .xcdatamodeld or .xcdatamodel of Xcode, a compiled .momd or .mom, or a SQLite store, \
            which holds a copy of its model.
            """,
        subcommands: [
            ShowCommand.self, CheckCommand.self, DiffCommand.self, HashCommand.self, CompileCommand.self,
            DecompileCommand.self, GenerateCommand.self, PortCommand.self,
        ])
}
