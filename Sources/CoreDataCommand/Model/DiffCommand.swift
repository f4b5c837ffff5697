import ArgumentParser
import ModelTools

/// `coredata model diff`.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compares two models, and says whether a store can be migrated without a mapping model.",
        discussion: """
            EXAMPLES
              coredata model diff Old.momd Library.xcdatamodeld
              coredata model diff --old-version "Library 1" Library.xcdatamodeld Library.xcdatamodeld
              coredata model diff Library.sqlite Library.xcdatamodeld     what a store still has to be migrated to

            Exits with 1 if there is a difference.
            """)

    @Argument(help: "The older model, in any form, or a SQLite store.", completion: .file())
    var old: String
    @Argument(help: "The newer model.", completion: .file())
    var new: String
    @Option(help: "The version of the older model; without it the current one.")
    var oldVersion: String?
    @Option(help: "The version of the newer model; without it the current one.")
    var newVersion: String?
    @Flag(help: "Print JSON; see Documentation/CommandLine.md for its shape.")
    var json = false

    func run() throws {
        let difference = ModelDifference(
            from: try ModelInput.load(old, version: oldVersion),
            to: try ModelInput.load(new, version: newVersion))
        if json {
            try Output.standard.write(json: difference)
        } else {
            for line in DifferenceText(difference, in: .standard).lines { Output.standard.write(line) }
        }
        if !difference.isEmpty { throw ExitCode(1) }
    }
}
