import ArgumentParser
import Foundation
import LocalSite
import ModelEditor

/// `coredata edit`.
struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Edits a model in the browser.",
        discussion: """
            Serves a page on this computer's own address, and opens it. The address contains a random token; \
            requests without it are refused. Control-C ends it; unsaved changes are lost. See Documentation/ModelEditor.md.

            EXAMPLES
              coredata edit Library.xcdatamodeld
              coredata edit --new Library.xcdatamodeld
              coredata edit --port 8090 --no-open Library.xcdatamodeld
            """)

    @Argument(
        help: "A model: .xcdatamodeld or .xcdatamodel; a compiled one, .momd or .mom, is shown.",
        completion: .file())
    var path: String
    @Flag(help: "Make a new model.")
    var new = false
    @OptionGroup var page: PageOptions

    func run() async throws {
        let url = URL(fileURLWithPath: path)
        let document = try CommandFailure.wrapping {
            new ? try ModelDocument.create(at: url) : try ModelDocument(opening: url)
        }
        try await page.serve(ModelEditor.site(document))
        if await document.isEdited {
            Output.error.write("warning: unsaved changes are lost.")
        }
    }
}

/// How a page of this computer is served.
struct PageOptions: ParsableArguments {
    @Option(help: "The port of the page; 0 for any that is free.")
    var port = 0
    @Flag(name: .customLong("no-open"), help: "Print the address, but open no browser.")
    var opensNoBrowser = false

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("A port is a number from 0 to 65535.") }
    }

    func serve(_ site: LocalSite) async throws {
        let opens = !opensNoBrowser
        do {
            try await site.serve(port: port) { address, single in
                Output.standard.write("\(site.name): \(address)  (Control-C ends it)")
                if opens, !BrowserOpening.open(single) {
                    Output.standard.write("Open this address in a browser of this computer.")
                }
            }
        } catch {
            throw CommandFailure(error)
        }
    }
}
