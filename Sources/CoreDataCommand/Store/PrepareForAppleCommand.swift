import ArgumentParser
import Foundation
import StoreTools

/// `coredata store prepare-for-apple`.
struct PrepareForAppleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prepare-for-apple",
        abstract: "Drops the triggers of a store that Apple's framework could not run.",
        discussion: """
            Derived attributes with canonical:, uppercase: or lowercase: are kept up to date by triggers that call functions \
            which Apple's framework does not have; it can read such a store, but not save to it. The values stay, and are \
            no longer updated. No model is needed. In XML and binary stores there is nothing to do.

            EXAMPLES
              coredata store prepare-for-apple --dry-run Library.sqlite
              coredata store prepare-for-apple Library.sqlite
            """)

    @Argument(help: "A store: SQLite, XML or binary.", completion: .file())
    var store: String
    @Flag(help: "Only print the names of the triggers.")
    var dryRun = false
    @Flag(help: "Print a JSON list of the names.")
    var json = false

    func run() throws {
        let url = URL(fileURLWithPath: store)
        let names = try CommandFailure.wrapping {
            try dryRun ? ForeignTriggers.names(in: url) : ForeignTriggers.drop(from: url)
        }
        if json { return try Output.standard.write(json: names) }
        for name in names { Output.standard.write(name) }
        if names.isEmpty { Output.error.write("There is nothing to drop.") }
    }
}
