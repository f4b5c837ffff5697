import ArgumentParser
import CoreData
import Hummingbird

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Shows the books in a web page on this computer.")

    @OptionGroup var storeOptions: StoreOptions
    @Option(help: "The port of the page.")
    var port = 8080

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("A port is a number from 0 to 65535.") }
    }

    func run() async throws {
        let container = try BooksContainer.load(file: storeOptions.store.map { URL(fileURLWithPath: $0) })
        let made = try FirstLaunch.makeRecordsIfNeeded(in: container)
        if made > 0 { Self.say("The store was empty: added \(made) books of the catalogue.") }
        if let file = container.storeFile { Self.say("Store: \(file.path)") }
        let filled = try container.fillInAbstractTexts()
        if filled > 0 { Self.say("The abstracts of \(filled) books can be searched now.") }
        let coordinator = container.persistentStoreCoordinator
        try coordinator.startSearchIndexing()
        defer { coordinator.stopSearchIndexing() }
        // In a large store the first indexing takes a while; the page does not wait for it.
        let deletion = Task {
            do {
                try await container.deleteOldHistory()
            } catch is CancellationError {
            } catch {
                Self.say("Old history could not be deleted: \(error.localizedDescription)")
            }
        }
        defer { deletion.cancel() }
        let site = try Site(await BooksDocument(container))
        let server = BooksApplication.server(site, port: port) { port in
            Self.say("Books: http://localhost:\(port)  (Control-C ends it)")
        }
        do {
            try await server.runService()
        } catch let error as any CustomStringConvertible where "\(error)".contains("errno: 98") {
            throw TextProblem(
                "Port \(port) is taken by another program. Choose another one: books --port \(port + 1)")
        }
    }

    /// Prints a line that is seen at once, also through a pipe.
    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}
