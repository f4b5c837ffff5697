import ArgumentParser
import Foundation
import StoreTools

/// `coredata store import`.
struct StoreImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Makes a store from a dump, or adds a dump's objects to a store.",
        discussion: """
            Either all objects are imported, or none. In a new SQLite store they keep their primary keys; with --append they \
            get the next ones, in XML and binary stores new ones. Values are imported unchanged: validation rules, which \
            real stores break, are not applied. Triggers and uniqueness constraints are. Links to missing objects are left \
            out.

            EXAMPLES
              coredata store dump --json -o Library.json Library.sqlite
              coredata store import Copy.sqlite Library.json
              coredata store import New.sqlite Library.json --model Library.xcdatamodeld
              coredata store import --append Library.sqlite More.json
              coredata store import --type xml Library.xml Library.json

            Exits with 1 if something was left out.
            """)

    @Argument(help: "The store: a new file, or with --append an existing one.", completion: .file())
    var store: String
    @Argument(help: "A file that dump --json wrote, or one of the same form.", completion: .file())
    var dump: String
    @OptionGroup var model: StoreModelInput
    @Flag(help: "Add the objects to an existing SQLite store.")
    var append = false
    @Option(help: "The type of the new store: sqlite, xml or binary; without it, sqlite.")
    var type: StoreFileType?

    func validate() throws {
        if append, type != nil { throw ValidationError("--append and --type exclude each other.") }
    }

    func run() throws {
        let model = try model.load()
        let url = URL(fileURLWithPath: store)
        let file = URL(fileURLWithPath: dump)
        let isIncomplete = try CommandFailure.wrapping {
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
            let bar = ProgressBar("of the dump", total: size?.intValue ?? 0)
            let importing = DumpImport(file)
            let outcome =
                append
                ? try importing.add(to: url, model: model, progress: bar.update)
                : try importing.make(url, model: model, type: type ?? .sqlite, progress: bar.update)
            bar.hide()
            for notice in outcome.notices + outcome.skippedRows { Output.error.write("warning: \(notice)") }
            Output.standard.write(outcome.count == 1 ? "1 object" : "\(outcome.count) objects")
            return !outcome.skippedRows.isEmpty
        }
        if isIncomplete { throw ExitCode(1) }
    }
}

extension StoreFileType: ExpressibleByArgument {}
