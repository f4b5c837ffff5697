import ArgumentParser
import Foundation
import StoreTools

/// `coredata store export`.
struct StoreExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract:
            "Writes one file for each entity, for other programs: comma-separated values, or lines of JSON.",
        discussion: """
            Objects of subentities are in files of their own. Existing files are replaced. To import the objects again, \
            use dump --json instead.

            EXAMPLES
              coredata store export Library.sqlite -o Tables
              coredata store export --format jsonl --entity Book --entity Author Library.sqlite -o Lines
            """)

    @OptionGroup var input: StoreInput
    @Option(name: [.short, .long], help: "The folder for the files.", completion: .directory)
    var output: String
    @Option(help: "The form of the files: csv or jsonl.")
    var format: StoreExport.Format = .csv
    @Option(help: "Export this entity only; can be given several times.")
    var entity: [String] = []

    func run() throws {
        let source = try input.open()
        let folder = URL(fileURLWithPath: output)
        try CommandFailure.wrapping {
            let names = entity.isEmpty ? source.entities.map(\.name) : entity
            let export = StoreExport(source, format: format)
            let bar = ProgressBar("objects", total: try StoreListing(source, entities: names).count())
            let files = try names.map { ($0, folder.appendingPathComponent(try export.fileName(of: $0))) }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var done = 0
            for (name, target) in files {
                let file = try OutputFile(target.path, reading: input.url)
                var count = 0
                let missingFiles = try export.write(name) { objects in
                    count = objects
                    bar.update(done + objects)
                } to: {
                    try file.write($0)
                }
                try file.finish()
                done += count
                bar.hide()
                if let notice = missingFiles.notice { Output.error.write("warning: \(name): \(notice)") }
                Output.standard.write(target.relativePath)
            }
        }
    }
}

extension StoreExport.Format: ExpressibleByArgument {}
