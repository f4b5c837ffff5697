import ArgumentParser
import Foundation
import ModelTools

/// `coredata model generate`.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Writes Swift classes for the entities of a model, as Xcode does.",
        discussion: """
            In a package, the plugin CoreDataModelPlugin does this with every build; see Documentation/Generating.md. \
            Files that would not change are not written.

            EXAMPLES
              coredata model generate Library.xcdatamodeld -o Sources/Library
              coredata model generate --all --access internal -o Sources/Library Library.momd
              coredata model generate --style apple -o ../App/Model Library.xcdatamodeld     for an Xcode project
            """)

    @Argument(help: "A model in any form, or a SQLite store.", completion: .file())
    var model: String
    @Option(name: [.short, .long], help: "The folder for the files.", completion: .directory)
    var output: String
    @Option(help: "For whom: plain for this framework, apple for Xcode (@NSManaged).")
    var style: GenerationOptions.Style = .plain
    @Option(help: "Who sees the classes: public, package or internal.")
    var access: GenerationOptions.Access = .public
    @Flag(help: "Write classes for all entities, whatever their setting \"Codegen\".")
    var all = false

    func run() throws {
        let source = URL(fileURLWithPath: model)
        let folder = URL(fileURLWithPath: output)
        let isSource = ["xcdatamodeld", "xcdatamodel"].contains(source.pathExtension)
        // Only the sources of Xcode say which entities get classes.
        let options = GenerationOptions(
            style: style, access: access, selection: all || !isSource ? .all : .model)
        try CommandFailure.wrapping {
            let generator =
                isSource
                ? try SourceGenerator(readingModelAt: source, options)
                : try SourceGenerator(
                    ModelInput.load(model), name: source.deletingPathExtension().lastPathComponent,
                    options)
            for notice in generator.notices { Output.error.write("warning: \(notice)") }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in generator.files {
                let target = folder.appendingPathComponent(file.name)
                if try file.write(to: target) { Output.standard.write(target.relativePath) }
            }
        }
    }
}

extension GenerationOptions.Style: ExpressibleByArgument {}
extension GenerationOptions.Access: ExpressibleByArgument {}
