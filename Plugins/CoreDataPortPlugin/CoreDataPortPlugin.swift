import Foundation
import PackagePlugin

/// Ports the sources that a target keeps in a folder `AppleSources`, and adds the ported files to the target.
///
/// The target excludes the folder, `exclude: ["AppleSources"]`: the sources in it are those of Apple's platforms, which
/// do not compile as they are. It may be a link to where they are in an app. The target's models tell names of
/// properties that the sources do not.
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
        // A walk through the target sees nothing behind a link.
        let link = folder.resolvingSymlinksInPath()
        let isInside = (link.path + "/").hasPrefix(target.directoryURL.resolvingSymlinksInPath().path + "/")
        let models = Self.models(in: target.directoryURL) + (isInside ? [] : Self.models(in: link))
        let output = context.pluginWorkDirectoryURL.appendingPathComponent("Ported")
        return [
            .buildCommand(
                displayName: "Porting \(paths.count) sources of \(target.name)",
                executable: try context.tool(named: "CoreDataPorter").url,
                arguments: [folder.path, output.path] + models.flatMap { ["--model", $0.url.path] },
                inputFiles: paths.map { folder.appendingPathComponent($0) } + models.flatMap(\.files),
                outputFiles: paths.map { path in
                    output.appendingPathComponent("\(path.dropLast(".swift".count)).ported.swift")
                })
        ]
    }

    /// The paths of the Swift sources in a folder and its subfolders, sorted.
    private static func sources(in folder: URL) -> [String] {
        // Through a link there is nothing to be seen.
        let path = folder.resolvingSymlinksInPath().path
        guard let found = FileManager.default.enumerator(atPath: path) else { return [] }
        var paths: [String] = []
        for case let path as String in found
        where path.hasSuffix(".swift") && found.fileAttributes?[.type] as? FileAttributeType != .typeDirectory
        {
            paths.append(path)
        }
        return paths.sorted()
    }

    /// The models in a folder and its subfolders, each with the files that it is read from, sorted.
    private static func models(in folder: URL) -> [(url: URL, files: [URL])] {
        guard let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            return []
        }
        var models: [(url: URL, files: [URL])] = []
        for case let url as URL in found where ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) {
            found.skipDescendants()
            let inside = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
            let files = (inside?.allObjects ?? []).compactMap { $0 as? URL }
                .filter { ["contents", "elements", ".xccurrentversion"].contains($0.lastPathComponent) }
            models.append((url, files.sorted { $0.path < $1.path }))
        }
        return models.sorted { $0.url.path < $1.url.path }
    }
}
