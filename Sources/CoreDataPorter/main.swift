import Foundation
import ModelPorting
import ModelTools

// What CoreDataPortPlugin runs: CoreDataPorter SOURCES DESTINATION [--model MODEL]... Small, because a client's build
// builds it. Exits with 1 for sources that cannot be ported, with 2 when nothing can be, with 64 for wrong arguments.

func printError(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

var folders: [String] = []
var models: [String] = []
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    if argument == "--model", let model = arguments.popFirst() {
        models.append(model)
    } else {
        folders.append(argument)
    }
}
guard folders.count == 2, !folders.contains(where: { $0.hasPrefix("--") }) else {
    printError("usage: CoreDataPorter SOURCES DESTINATION [--model MODEL]...")
    exit(64)
}
do {
    var keys: [String: Set<String>] = [:]
    for model in models {
        keys.merge(try ModelSource(path: model).load().propertyNamesByClass) { $0.union($1) }
    }
    let port = FolderPort(
        URL(fileURLWithPath: folders[0]), into: URL(fileURLWithPath: folders[1]), modelKeys: keys)
    let outcome = try port.run()
    for diagnostic in outcome.diagnostics { printError(diagnostic.description) }
    exit(outcome.hasErrors ? 1 : 0)
} catch {
    printError("error: \((error as? any LocalizedError)?.errorDescription ?? error.localizedDescription)")
    exit(2)
}
