import Foundation
import PackagePlugin

/// Makes Swift code of each `.xcdatamodeld` and `.xcdatamodel` in a target.
///
/// A model gives two files, whatever it holds, so that they are known before anybody reads it: its classes, and the
/// model itself for the program to bring along. Both are made again when a file of the model changes, and are written
/// only if they come out different, so that a moved box in the model editor compiles nothing.
@main
struct CoreDataModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let models = try ModelFolder.all(in: target.directoryURL)
        guard !models.isEmpty else { return [] }
        let tool = try context.tool(named: "CoreDataModelGenerator").url
        let folder = context.pluginWorkDirectoryURL
        var names: Set<String> = []
        for model in models where !names.insert(model.name).inserted {
            Diagnostics.error("Target '\(target.name)' has two models named '\(model.name)'; rename one.")
        }
        let list = folder.appending(path: "CoreDataNames.swift")
        return [
            .buildCommand(
                displayName: "Names of CoreData for \(target.name)", executable: tool,
                arguments: ["names", list.path], inputFiles: [], outputFiles: [list])
        ] + models.map { command(for: $0, in: folder, module: target.moduleName, tool) }
    }

    private func command(for model: ModelFolder, in folder: URL, module: String, _ tool: URL) -> Command {
        let classes = folder.appending(path: "\(model.name)+CoreDataClasses.swift")
        let embedding = folder.appending(path: "\(model.name)+CoreDataModel.swift")
        return .buildCommand(
            displayName: "Classes of \(model.url.lastPathComponent)", executable: tool,
            arguments: [
                "model", model.url.path, "--module", module, "--classes", classes.path, "--embedding",
                embedding.path,
            ], inputFiles: [model.url] + model.files, outputFiles: [classes, embedding])
    }
}
