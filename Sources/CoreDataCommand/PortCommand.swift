import ArgumentParser
import Foundation
import ModelPorting
import ModelTools

/// `coredata port`, and `coredata model port`.
struct PortCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "port",
        abstract: "Rewrites Swift sources that were written for Apple's Core Data.",
        discussion: """
            @NSManaged, @objc, #keyPath, #selector of accessors and imports of Apple's frameworks are rewritten; lines \
            keep their numbers. What cannot be ported is an error at its line. All sources of a module are to be ported \
            together, since a class and its extensions may lie in several files. In a package, the plugin \
            CoreDataPortPlugin does this with every build; see Documentation/Porting.md.

            EXAMPLES
              coredata port ../App/Model -o Sources/Model
              coredata port --json ../App/Model -o Sources/Model
              coredata port ../App/Model -o Sources/Model --model ../App/Model/Library.xcdatamodeld

            Exits with 1 if something cannot be ported; a source with errors gives no file. What an earlier port wrote \
            is removed when its source is gone or has errors. Exits with 2 if there is nothing to port.
            """)

    /// What a run has done, as JSON.
    private struct Report: Encodable {
        struct Diagnostic: Encodable {
            let file: String
            let line: Int
            let column: Int
            let severity: String
            let message: String
        }

        let written: [String]
        let unchanged: [String]
        let removed: [String]
        let diagnostics: [Diagnostic]
    }

    @Argument(help: "The folder with the sources.", completion: .directory)
    var sources: String
    @Option(
        name: [.short, .long], help: "The folder for the ported sources; made when it is missing.",
        completion: .directory)
    var output: String
    @Option(
        help:
            "The model of the classes. It decides between keys with the same accessor: URLs or uRLs for addURLsObject.",
        completion: .file())
    var model: String?
    @Flag(help: "Print a JSON object: written, unchanged, removed, diagnostics.")
    var json = false

    func run() throws {
        let port = FolderPort(
            URL(fileURLWithPath: sources, isDirectory: true),
            into: URL(fileURLWithPath: output, isDirectory: true), modelKeys: try modelKeys())
        let outcome = try CommandFailure.wrapping { try port.run() }
        if json {
            try Output.standard.write(
                json: Report(
                    written: outcome.written, unchanged: outcome.unchanged, removed: outcome.removed,
                    diagnostics: outcome.diagnostics.map {
                        .init(
                            file: $0.file, line: $0.line, column: $0.column, severity: $0.severity.rawValue,
                            message: $0.message)
                    }))
        } else {
            for diagnostic in outcome.diagnostics { Output.error.write("\(diagnostic)") }
            for path in outcome.written { Output.standard.write(path) }
            for path in outcome.removed { Output.standard.write("\(path) (removed)") }
        }
        if outcome.hasErrors { throw ExitCode(1) }
    }

    /// The names of the properties by the name of the class.
    private func modelKeys() throws -> [String: Set<String>] {
        try model.map { try ModelInput.load($0).propertyNamesByClass } ?? [:]
    }
}
