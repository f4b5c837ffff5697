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
            Files that would not change are not written, and a class that was changed by hand is left as it is; its \
            properties are in a file of their own.

            EXAMPLES
              coredata model generate Library.xcdatamodeld -o Sources/Library
              coredata model generate --all --access internal -o Sources/Library Library.momd
              coredata model generate --style apple -o ../App/Model Library.xcdatamodeld     for an Xcode project
            """)

    @OptionGroup var input: ModelInput
    @Option(name: [.short, .long], help: "The folder for the files.", completion: .directory)
    var output: String
    @Option(help: "The style: plain for this framework, apple for Xcode (@NSManaged).")
    var style: GenerationOptions.Style = .plain
    @Option(help: "The access level of the classes: public, package or internal.")
    var access: GenerationOptions.Access = .public
    @Flag(help: "Write classes for all entities, whatever their setting \"Codegen\".")
    var all = false

    @Flag(help: "Replace classes that were changed by hand (+CoreDataClass.swift).")
    var force = false
    @Flag(help: "Print a JSON object: written, unchanged, kept, warnings.")
    var json = false

    func run() throws {
        let folder = URL(fileURLWithPath: output)
        let report = try CommandFailure.wrapping {
            let generator = try generator()
            var report = WrittenFiles(
                unchanged: [], kept: [], warnings: generator.notices.map(\.description))
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in generator.files {
                let target = folder.appendingPathComponent(file.name)
                switch try file.write(to: target, replacing: force || !file.isForEditing) {
                case .written: report.written.append(target.relativePath)
                case .unchanged: report.unchanged?.append(target.relativePath)
                case .kept: report.kept?.append(target.relativePath)
                }
            }
            return report
        }
        try report.write(asJSON: json)
    }

    private func generator() throws -> SourceGenerator {
        let source = URL(fileURLWithPath: input.path)
        // Only the sources of Xcode say which entities get classes.
        guard ["xcdatamodeld", "xcdatamodel"].contains(source.pathExtension) else {
            return try SourceGenerator(
                input.load(), name: source.deletingPathExtension().lastPathComponent,
                GenerationOptions(style: style, access: access, selection: .all))
        }
        return try SourceGenerator(
            readingModelAt: source, version: input.version,
            GenerationOptions(style: style, access: access, selection: all ? .all : .model))
    }
}

extension GenerationOptions.Style: ExpressibleByArgument {}
extension GenerationOptions.Access: ExpressibleByArgument {}
