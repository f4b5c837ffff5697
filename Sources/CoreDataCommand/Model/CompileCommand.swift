import ArgumentParser
import Foundation
import ModelTools

/// `coredata model compile`.
struct CompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compiles a model of Xcode, as Apple's compiler does.",
        discussion: """
            A folder .xcdatamodeld becomes a folder .momd with all versions, a folder .xcdatamodel a file .mom. A \
            compiled model at the place of the output is replaced when everything has been written; nothing else is.

            EXAMPLES
              coredata model compile Library.xcdatamodeld               makes ./Library.momd
              coredata model compile Library.xcdatamodeld -o build      makes build/Library.momd
            """)

    @Argument(help: "A folder .xcdatamodeld or .xcdatamodel.", completion: .directory)
    var model: String

    @Option(
        name: [.short, .long],
        help: "Where the compiled model goes: its own path, or a folder that there is.",
        completion: .file())
    var output: String?
    @Flag(help: "Print a JSON object: written.")
    var json = false

    func run() throws {
        let source = URL(fileURLWithPath: model)
        let name = source.deletingPathExtension().lastPathComponent
        let kind = source.pathExtension == "xcdatamodeld" ? "momd" : "mom"
        var target = URL(fileURLWithPath: output ?? "\(name).\(kind)")
        if target.pathExtension != kind {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: target.path, isDirectory: &isFolder),
                isFolder.boolValue
            else {
                throw CommandFailure("\(target.relativePath): the output must be a folder or end in .\(kind)")
            }
            target.appendPathComponent("\(name).\(kind)")
        }
        let folders = target.standardizedFileURL.pathComponents
        guard !folders.starts(with: source.standardizedFileURL.pathComponents) else {
            throw CommandFailure("\(target.relativePath): the output must not be inside the model")
        }
        try CommandFailure.wrapping { try CompiledModelFolder.compile(source, to: target) }
        try WrittenFiles(written: [target.relativePath]).write(asJSON: json)
    }
}
