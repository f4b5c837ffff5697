import Foundation
import PackagePlugin

/// Ports the sources that a target keeps in a folder `AppleSources`, and adds the ported files to the target.
///
/// The target excludes the folder, `exclude: ["AppleSources"]`: the sources in it are those of Apple's platforms, which
/// do not compile as they are.
@main struct CoreDataPortPlugin: BuildToolPlugin {
    private static let folderName = "AppleSources"

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? SwiftSourceModuleTarget else { return [] }
        let folder = target.directoryURL.appendingPathComponent(Self.folderName)
        let paths = Self.sources(in: folder)
        guard !paths.isEmpty else {
            Diagnostics.error(
                "CoreDataPortPlugin finds no Swift sources in \(folder.path): the sources to port belong there."
            )
            return []
        }
        if target.sourceFiles.contains(where: { $0.url.path.hasPrefix(folder.path + "/") }) {
            Diagnostics.error(
                "The target '\(target.name)' compiles the sources in \(Self.folderName) as they are: exclude them, "
                    + "exclude: [\"\(Self.folderName)\"].")
            return []
        }
        let output = context.pluginWorkDirectoryURL.appendingPathComponent("Ported")
        return [
            .buildCommand(
                displayName: "Porting \(paths.count) sources of \(target.name)",
                executable: try context.tool(named: "CoreDataPorter").url,
                arguments: [folder.path, output.path],
                inputFiles: paths.map { folder.appendingPathComponent($0) },
                outputFiles: paths.map { path in
                    output.appendingPathComponent("\(path.dropLast(".swift".count)).ported.swift")
                })
        ]
    }

    /// The paths of the Swift sources in a folder and its subfolders, sorted.
    private static func sources(in folder: URL) -> [String] {
        guard let found = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        var paths: [String] = []
        for case let path as String in found
        where path.hasSuffix(".swift") && found.fileAttributes?[.type] as? FileAttributeType != .typeDirectory
        {
            paths.append(path)
        }
        return paths.sorted()
    }
}
