import ArgumentParser
import Foundation
import ModelTools

/// `coredata model compile`.
struct CompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compiles a model of Xcode, as Apple's compiler does.",
        discussion: """
            A folder .xcdatamodeld becomes a folder .momd with all versions, a folder .xcdatamodel a file .mom, or, \
            where the output ends in .momd, a folder with one version. With --module, classes of the "current module" \
            get its name, as Xcode's builds have it; without, their names begin with a dot, and are looked for in the \
            module that loads the model. An existing compiled model at the path of the output is replaced once everything \
            has been written; any other file or folder there is an error.

            EXAMPLES
              coredata model compile Library.xcdatamodeld               makes ./Library.momd
              coredata model compile Library.xcdatamodeld -o build      makes build/Library.momd
              coredata model compile Library.xcdatamodel -o Library.momd
              coredata model compile Library.xcdatamodeld --module App  classes are App.Book and so on
            """)

    @Argument(help: "A folder .xcdatamodeld or .xcdatamodel.", completion: .directory)
    var model: String

    @Option(
        name: [.short, .long],
        help: "Where the compiled model goes: its own path, or an existing folder.",
        completion: .file())
    var output: String?
    @Option(help: "The module of the classes whose module is the current one in the model.")
    var module: String?
    @Flag(help: "Print a JSON object: written.")
    var json = false

    func run() throws {
        let source = URL(fileURLWithPath: model)
        let name = source.deletingPathExtension().lastPathComponent
        let kind = source.pathExtension == "xcdatamodeld" ? "momd" : "mom"
        var target = URL(fileURLWithPath: output ?? "\(name).\(kind)")
        if target.pathExtension != kind, target.pathExtension != "momd" {
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
        if let module, module.isEmpty || module.contains(where: { !$0.isLetter && !$0.isNumber && $0 != "_" })
        {
            throw ValidationError("'\(module)' is not the name of a module.")
        }
        try CommandFailure.wrapping {
            try CompiledModelFolder.compile(source, to: target, currentModule: module)
        }
        try WrittenFiles(written: [target.relativePath]).write(asJSON: json)
    }
}
