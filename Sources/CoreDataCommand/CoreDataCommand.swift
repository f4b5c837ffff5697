import ArgumentParser
import Foundation
import Logging

/// The command `coredata`.
@main
struct CoreDataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coredata",
        abstract: "Works on the files of Core Data: models, stores and sources.",
        discussion: """
            EXAMPLES
              coredata model show Library.xcdatamodeld
              coredata model check Library.xcdatamodeld
              coredata edit Library.xcdatamodeld
              coredata model hash --json Library.momd
              coredata store info Library.sqlite
              coredata store query Library.sqlite Book "pages > 100"
              coredata store search Library.sqlite "war and peace"
              coredata browse Library.sqlite

            Exit codes: 0 done; 1 check found errors or diff found differences; \
            2 a file cannot be read or written; 64 the command was not understood.

            Completion for a shell: coredata --generate-completion-script bash
            """,
        subcommands: [
            ModelCommand.self, EditCommand.self, StoreCommand.self, BrowseCommand.self, PortCommand.self,
        ])

    static func main() async {
        // What a program of one's own should know, such as that it lacks a model's classes, is nothing to a tool.
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .error
            return handler
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            Output.error.write(failure.description)
            exit(withError: ExitCode(CommandFailure.exitCode))
        } catch {
            exit(withError: error)
        }
    }
}
