import ArgumentParser
import Foundation
import StoreTools

/// `coredata store dump`.
struct StoreDumpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Prints all objects of a store.",
        discussion: """
            With --json, the output has all that import needs to make the store again: the model, the metadata of the \
            application, and the exact value of every property.

            EXAMPLES
              coredata store dump Library.sqlite
              coredata store dump --json -o Library.json Library.sqlite
              coredata store dump --json --entity Book Library.sqlite | jq '.entities[].objects[].title'
            """)

    @OptionGroup var input: StoreInput
    @Option(help: "Print this entity only; can be given several times.")
    var entity: [String] = []
    @Flag(help: "Print JSON; see Documentation/CommandLine.md for its shape.")
    var json = false
    @Option(name: [.short, .long], help: "Write to this file.", completion: .file())
    var output: String?

    func run() throws {
        let source = try input.open()
        try CommandFailure.wrapping {
            let names = entity.isEmpty ? nil : entity
            let file = try OutputFile(output, reading: input.url)
            if json {
                let dump = try StoreDump(source, entities: names)
                let bar = ProgressBar("objects", total: try dump.count(), writesOutput: output == nil)
                let notices = try dump.write(progress: bar.update, to: file.write)
                bar.hide()
                for notice in notices { Output.error.write("warning: \(notice)") }
            } else {
                try writeText(source, names ?? source.entities.map(\.name), file)
            }
            try file.finish()
        }
    }

    private func writeText(_ source: OpenStore, _ names: [String], _ file: OutputFile) throws {
        let listing = try StoreListing(source, entities: names)
        let bar = ProgressBar("objects", total: try listing.count(), writesOutput: output == nil)
        let standard = Output.standard
        let heading = { (text: String) in output == nil ? standard.styled(text, .bold) : text }
        var missingFiles = MissingFiles()
        try listing.forEachObject(progress: bar.update) { reference, fields, values in
            missingFiles.note(values)
            var text = heading("\(reference)") + "\n"
            let width = min(fields.map(\.count).max() ?? 0, 40)
            for field in fields {
                guard let value = values[field], value != .null, value != .array([]) else { continue }
                let name = field + String(repeating: " ", count: max(0, width - field.count))
                text += "  \(name)  \(value.shownText)\n"
            }
            try file.write(text)
        }
        bar.hide()
        if let notice = missingFiles.notice { Output.error.write("warning: \(notice)") }
    }
}
