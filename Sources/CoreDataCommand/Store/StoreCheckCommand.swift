import ArgumentParser
import Foundation
import StoreTools

/// `coredata store check`.
struct StoreCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Lists what is damaged in a store, and changes nothing.",
        discussion: """
            Checks the database, the metadata and the copy of the model against each other, the numbers of entities and \
            keys, every foreign key and its inverse, join tables, orders, R-trees, history, types of values and files of \
            external data; of an XML or binary store, identifiers, links in both directions and values. Each finding ends \
            in a stable name; Documentation/CommandLine.md lists them.

            EXAMPLES
              coredata store check Library.sqlite
              coredata store check --json --model Library.momd Old.sqlite

            Exits with 1 if there are errors: damage by which objects cannot be read or saved correctly. With \
            --strict, if there are findings at all.
            """)

    @OptionGroup var input: StoreInput
    @Flag(help: "Exit with 1 for warnings too.")
    var strict = false
    @Flag(help: "Print a JSON list of findings; see Documentation/CommandLine.md for its shape.")
    var json = false

    func run() throws {
        let model = try input.model.load()
        let findings = try CommandFailure.wrapping {
            let bar = ProgressBar("checked", total: 1000)
            return try StoreCheck(input.url, model: model).findings { _, part in bar.update(Int(part * 1000))
            }
        }
        let output = Output.standard
        if json {
            try output.write(json: findings)
        } else {
            for finding in findings { output.write(text(finding, output)) }
            let errors = findings.count { $0.severity == .error }
            output.write("\(counted(errors, "error")), \(counted(findings.count - errors, "warning"))")
        }
        if findings.contains(where: { strict || $0.severity == .error }) { throw ExitCode(1) }
    }

    private func text(_ finding: StoreFinding, _ output: Output) -> String {
        let severity = "\(finding.severity.rawValue):"
        let text = finding.description
        guard let range = text.range(of: severity) else { return text }
        return text.replacingCharacters(
            in: range, with: output.styled(severity, finding.severity == .error ? .red : .yellow))
    }

    private func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
