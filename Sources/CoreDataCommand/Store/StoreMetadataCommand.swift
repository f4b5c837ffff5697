import ArgumentParser
import Foundation
import StoreTools

/// `coredata store metadata`.
struct StoreMetadataCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metadata",
        abstract: "Prints the metadata of a store, and sets or removes keys of the application.",
        discussion: """
            No model is needed. Keys that say what the store is and how to open it cannot be changed.

            EXAMPLES
              coredata store metadata Library.sqlite
              coredata store metadata --json Library.sqlite
              coredata store metadata --set edition=second Library.sqlite
              coredata store metadata --set-json 'seen={"$date":"2024-05-01T12:00:00Z"}' --remove draft Library.sqlite
            """)

    @Argument(help: "A store: SQLite, XML or binary.", completion: .file())
    var store: String
    @Option(help: "Set a key to a string: key=value; can be given several times.")
    var set: [String] = []
    @Option(help: "Set a key to a value of JSON: key=value; can be given several times.")
    var setJson: [String] = []
    @Option(help: "Remove a key; can be given several times.")
    var remove: [String] = []
    @Flag(help: "Print a JSON object; see Documentation/CommandLine.md for its shape.")
    var json = false

    func validate() throws {
        for pair in set + setJson where !pair.contains("=") || pair.hasPrefix("=") {
            throw ValidationError("'\(pair)' is not of the form key=value.")
        }
    }

    func run() throws {
        let metadata = StoreMetadata(URL(fileURLWithPath: store))
        try CommandFailure.wrapping {
            var values: [String: JSONValue] = [:]
            for (key, text) in set.map(Self.pair) { values[key] = .string(text) }
            for (key, text) in setJson.map(Self.pair) {
                do {
                    values[key] = try JSONValue(parsing: text)
                } catch {
                    throw CommandFailure("The value of '\(key)' is not JSON: \(error)")
                }
            }
            if !values.isEmpty || !remove.isEmpty { try metadata.change(setting: values, removing: remove) }
            let output = Output.standard
            let all = try metadata.values()
            if json {
                var text = JSONText()
                text.value(
                    .object(Dictionary(all.map { ($0.key, $0.value) }, uniquingKeysWith: { a, _ in a })))
                return output.write(text.text)
            }
            let width = min(all.map(\.key.count).max() ?? 0, 40)
            for (key, value) in all {
                let name = key + String(repeating: " ", count: max(0, width - key.count))
                output.write("\(output.styled(name, .faint))  \(value.shownText)")
            }
        }
    }

    private static func pair(_ text: String) -> (String, String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
}
