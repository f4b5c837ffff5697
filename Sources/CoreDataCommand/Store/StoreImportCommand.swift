import ArgumentParser
import Foundation
import StoreTools

/// `coredata store import`.
struct StoreImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Makes a store from a dump, or adds a dump's objects to a store.",
        discussion: """
            All objects come in, or none. In a new store they keep their primary keys; with --append they get new ones. \
            Values are taken as they are: validation rules, which real stores break, are not applied. Triggers and \
            uniqueness constraints are.

            EXAMPLES
              coredata store dump --json -o Library.json Library.sqlite
              coredata store import Copy.sqlite Library.json
              coredata store import New.sqlite Library.json --model Library.xcdatamodeld
              coredata store import --append Library.sqlite More.json
            """)

    @Argument(help: "The store: a new file, or with --append one that is there.", completion: .file())
    var store: String
    @Argument(help: "A file that dump --json wrote, or one of its shape.", completion: .file())
    var dump: String
    @OptionGroup var model: StoreModelInput
    @Flag(help: "Add the objects to a store that is there.")
    var append = false

    func run() throws {
        let model = try model.load()
        let url = URL(fileURLWithPath: store)
        let file = URL(fileURLWithPath: dump)
        try CommandFailure.wrapping {
            guard FileManager.default.fileExists(atPath: file.path) else {
                throw CommandFailure("There is no dump at \(dump). The store comes first, then the dump.")
            }
            let exists = FileManager.default.fileExists(atPath: url.path)
            if exists, !append {
                throw CommandFailure(
                    "There is something at \(store) already; --append adds the objects to a store.")
            }
            if !exists, append { throw CommandFailure("There is no store at \(store).") }
            let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber
            let bar = ProgressBar("of the dump", total: (size?.intValue ?? 0) * 2)
            let importing = DumpImport(file)
            var notices: [String] = []
            let count: Int
            if append {
                _ = try DumpFile(file).header()
                let target = try OpenStore(url, model: model, isReadOnly: false)
                count = try importing.add(to: target, bar.update) { notices.append($0) }
                try target.close()
            } else {
                count = try importing.make(url, model: model, progress: bar.update) { notices.append($0) }
            }
            bar.hide()
            for notice in notices { Output.error.write("warning: \(notice)") }
            Output.standard.write(count == 1 ? "1 object" : "\(count) objects")
        }
    }
}
