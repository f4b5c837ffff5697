import Foundation
import ModelPorting

// What CoreDataPortPlugin runs: CoreDataPorter SOURCES DESTINATION. Small, because a client's build builds it.

func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

let arguments = CommandLine.arguments.dropFirst()
guard let source = arguments.first, let destination = arguments.last, arguments.count == 2 else {
    say("usage: CoreDataPorter SOURCES DESTINATION")
    exit(64)
}
do {
    let port = FolderPort(URL(fileURLWithPath: source), into: URL(fileURLWithPath: destination))
    let outcome = try port.run()
    for diagnostic in outcome.diagnostics { say(diagnostic.description) }
    exit(outcome.hasErrors ? 1 : 0)
} catch {
    say("error: \(error.localizedDescription)")
    exit(1)
}
