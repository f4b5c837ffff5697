import ArgumentParser
import ModelTools

/// `coredata model show`.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints what is in a model.",
        discussion: """
            EXAMPLES
              coredata model show Library.xcdatamodeld
              coredata model show --entity Book --version "Library 2" Library.momd
              coredata model show --json Library.mom
            """)

    @OptionGroup var input: ModelInput
    @Option(help: "Show this entity only.")
    var entity: String?
    @Flag(help: "Print JSON; see Documentation/CommandLine.md for its shape.")
    var json = false

    func run() throws {
        var report = ModelReport(try input.load())
        if let entity {
            report.entities.removeAll { $0.name != entity }
            guard !report.entities.isEmpty else {
                throw CommandFailure("The model has no entity named '\(entity)'.")
            }
        }
        if json { return try Output.standard.write(json: report) }
        for line in ModelText(report, in: .standard).lines { Output.standard.write(line) }
    }
}
