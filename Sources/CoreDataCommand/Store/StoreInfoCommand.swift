import ArgumentParser
import Foundation
import StoreTools

/// `coredata store info`.
struct StoreInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Shows the type of a store, and how many objects of each entity it has.",
        discussion: """
            No model is needed. An object is counted with its own entity, and not with the superentities.

            EXAMPLES
              coredata store info Library.sqlite
              coredata store info --json Photos.sqlite
            """)

    @Argument(help: "A store: SQLite, XML or binary.", completion: .file())
    var store: String
    @Flag(help: "Print JSON; see Documentation/CommandLine.md for its shape.")
    var json = false

    func run() throws {
        let report = try CommandFailure.wrapping { try StoreReport(URL(fileURLWithPath: store)) }
        let output = Output.standard
        if json { return try output.write(json: report) }
        var facts = [("store", report.path), ("type", report.type), ("identifier", report.identifier)]
        if let version = report.frameworkVersion { facts.append(("framework", "\(version)")) }
        if !report.modelVersionIdentifiers.isEmpty {
            facts.append(("model version", report.modelVersionIdentifiers.joined(separator: ", ")))
        }
        facts.append(
            (
                "model copy",
                report.hasModelCache
                    ? "yes"
                    : "no; other commands make one from the \(report.journalMode == nil ? "objects" : "tables"), without --model"
            ))
        facts.append(("size", "\(report.byteCount) bytes"))
        if let mode = report.journalMode { facts.append(("journal", mode)) }
        if let count = report.historyTransactionCount { facts.append(("history", "\(count) transactions")) }
        if report.externalFileCount > 0 {
            facts.append(("external data", "\(report.externalFileCount) files"))
        }
        for (name, fact) in facts {
            output.write(
                output.styled(name.padding(toLength: 15, withPad: " ", startingAt: 0), .faint) + fact)
        }
        output.write("")
        let width = report.entities.map { "\($0.count)".count }.max() ?? 0
        for entity in report.entities {
            let count = "\(entity.count)"
            output.write(String(repeating: " ", count: width - count.count) + "\(count)  \(entity.name)")
        }
    }
}
