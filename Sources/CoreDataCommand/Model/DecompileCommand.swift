import ArgumentParser
import Foundation
import ModelTools

/// `coredata model decompile`.
struct DecompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decompile",
        abstract: "Writes a compiled model, or that of a store, as a model of Xcode.",
        discussion: """
            A compiled model does not have the layout of the editor's diagram, nor which classes Xcode makes; those \
            settings get the values that a new model has.

            EXAMPLES
              coredata model decompile Library.momd                     makes ./Library.xcdatamodeld with all versions
              coredata model decompile Library.mom -o Old.xcdatamodeld
              coredata model decompile Library.sqlite                   the model of a store
            """)

    @Argument(
        help: "A folder .momd, a file .mom, or a SQLite store.", completion: .file())
    var model: String

    @Option(
        name: [.short, .long], help: "The folder .xcdatamodeld to be made; it must not exist yet.",
        completion: .directory)
    var output: String?

    @Flag(help: "Print a JSON object: written.")
    var json = false

    func run() throws {
        let source = URL(fileURLWithPath: model)
        let name = source.deletingPathExtension().lastPathComponent
        let target = URL(fileURLWithPath: output ?? "\(name).xcdatamodeld")
        guard target.pathExtension == "xcdatamodeld" else {
            throw CommandFailure(
                "The output must be a folder .xcdatamodeld, not \(target.lastPathComponent).")
        }
        try CommandFailure.wrapping {
            let (versions, current) = try versions(of: source, named: name)
            // Everything is read before anything is written.
            var trees: [(name: String, contents: ModelElement)] = []
            for version in versions {
                do {
                    trees.append((version.name, try ModelElement(model: version.model)))
                } catch let error as ModelFileError {
                    throw error.inFile(version.file)
                }
            }
            try XcodeModelFile.create(at: target, versions: trees, currentVersion: current)
        }
        try WrittenFiles(written: [target.relativePath]).write(asJSON: json)
    }

    private func versions(
        of source: URL, named name: String
    ) throws -> (versions: [(name: String, model: NSManagedObjectModel, file: URL)], current: String) {
        guard source.pathExtension == "momd" else {
            return ([(name, try ModelInput.load(model), source)], name)
        }
        let folder = try CompiledModelFolder(url: source)
        let versions = try folder.versions.map { version in
            (name: version.name, model: try NSManagedObjectModel(loading: version.url), file: version.url)
        }
        return (versions, try folder.currentVersion().name)
    }
}
