import ArgumentParser
import Foundation
import ModelTools

/// `coredata model check`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Lists the mistakes of a model: Xcode's warnings, and more.",
        discussion: """
            Of a versioned model every version is checked. Each finding has the form of a compiler's message, with a \
            stable name in brackets at its end; Documentation/CommandLine.md lists them.

            EXAMPLES
              coredata model check Library.xcdatamodeld
              coredata model check --strict --allow name-style Library.xcdatamodeld
              coredata model check --json Library.momd
              coredata model check --cloudkit Library.momd

            Exits with 1 if there are errors; with --strict, if there are findings at all.
            """)

    @Argument(
        help: "A model: .xcdatamodeld, .xcdatamodel, .momd, .mom, or a SQLite store.", completion: .file())
    var model: String
    @Flag(help: "Exit with 1 for warnings too.")
    var strict = false
    @Flag(name: .customLong("cloudkit"), help: "Check the whole model against the rules of CloudKit.")
    var usesCloudKit = false
    @Option(help: "Leave out the findings of this name; can be given several times.")
    var allow: [String] = []
    @Flag(help: "Print a JSON list of findings; see Documentation/CommandLine.md for its shape.")
    var json = false

    func validate() throws {
        for name in allow where ModelFinding.Code(rawValue: name) == nil {
            throw ValidationError("There are no findings named '\(name)'.")
        }
    }

    func run() throws {
        guard FileManager.default.fileExists(atPath: model) else {
            throw CommandFailure("\(model): there is no such file")
        }
        let findings = try allFindings().filter { !allow.contains($0.code.rawValue) }
        let output = Output.standard
        if json {
            try output.write(json: findings)
        } else {
            for finding in findings { output.write(text(finding, output)) }
            output.write(summary(findings))
        }
        if findings.contains(where: { strict || $0.severity == .error }) { throw ExitCode(1) }
    }

    private func allFindings() throws -> [ModelFinding] {
        let url = URL(fileURLWithPath: model)
        guard ModelInput.isStore(url) else {
            return ModelCheck.findings(in: url, usesCloudKit: usesCloudKit)
        }
        return ModelCheck.findings(in: try ModelInput.load(model), usesCloudKit: usesCloudKit)
    }

    private func text(_ finding: ModelFinding, _ output: Output) -> String {
        let severity = "\(finding.severity.rawValue):"
        let style: Style = finding.severity == .error ? .red : .yellow
        let text = finding.description
        // The place before it may have the word too.
        let start = finding.file.flatMap { text.range(of: $0)?.upperBound } ?? text.startIndex
        guard let range = text.range(of: severity, range: start..<text.endIndex) else { return text }
        return text.replacingCharacters(in: range, with: output.styled(severity, style))
    }

    private func summary(_ findings: [ModelFinding]) -> String {
        let errors = findings.count { $0.severity == .error }
        return "\(counted(errors, "error")), \(counted(findings.count - errors, "warning"))"
    }

    private func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
