import ArgumentParser
import Foundation
import StoreBrowser
import StoreTools

/// `coredata browse`.
struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse",
        abstract: "Shows the objects of a store in the browser.",
        discussion: """
            Serves a page on this computer's own address, and opens it. The address contains a random token; \
            requests without it are refused. The store is read-only unless --write is given. Control-C ends it; unsaved \
            changes are lost. See Documentation/StoreBrowser.md.

            EXAMPLES
              coredata browse Library.sqlite
              coredata browse --model Library.xcdatamodeld Library.sqlite
              coredata browse --write Library.sqlite
            """)

    @OptionGroup var input: StoreInput
    @Flag(help: "Let objects be changed, added and deleted.")
    var write = false
    @OptionGroup var page: PageOptions

    func run() async throws {
        let model = try input.model.load()
        let store = try CommandFailure.wrapping {
            try BrowsedStore(opening: input.url, model: model, canWrite: write)
        }
        try await page.serve(StoreBrowser.site(store))
        if await store.isEdited { Output.error.write("warning: unsaved changes are lost.") }
        try CommandFailure.wrapping { try store.close() }
    }
}
