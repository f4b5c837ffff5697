import Foundation
import ManagedObjectModel

/// Finds a model by name: among those that are part of the program's code, then among the resources of the program and of the
/// calling module.
///
/// SwiftPM puts a target's resources into a folder `<Package>_<Target>.resources` beside the program.
package enum ModelLocator {
    static func model(named name: String, fileID: String) throws -> NSManagedObjectModel {
        let module = fileID.split(separator: "/").first.map(String.init) ?? ""
        if let embedded = EmbeddedModels.model(named: name, module: module) { return try embedded.model() }
        let folders = resourceFolders(module: module)
        for folder in folders {
            for type in ["xcdatamodeld", "xcdatamodel", "momd", "mom"] {
                let file = folder.appendingPathComponent("\(name).\(type)")
                if FileManager.default.fileExists(atPath: file.path) {
                    return try NSManagedObjectModel(loading: file)
                }
            }
        }
        throw NSError.coreData(
            .persistentStoreOpen,
            """
            Failed to load model named \(name): no module of the program contains it, and there is no \
            \(name).xcdatamodeld in \(folders.map(\.path).joined(separator: ", ")). Use the plugin CoreDataModelPlugin \
            in the target that has it, declare it as a resource there, or make the container with \
            init(name:managedObjectModel:).
            """)
    }

    private static func resourceFolders(module: String) -> [URL] {
        var folders: [URL] = []
        if let resources = Bundle.main.resourceURL { folders.append(resources) }
        let bundles = resourceBundles
        // The calling module's own bundle first.
        folders += bundles.filter { $0.deletingPathExtension().lastPathComponent.hasSuffix("_\(module)") }
        folders += bundles.filter { !$0.deletingPathExtension().lastPathComponent.hasSuffix("_\(module)") }
            .sorted { $0.path < $1.path }
        return folders
    }

    /// The folders with the resources of the program's modules.
    package static var resourceBundles: [URL] {
        let beside = Bundle.main.bundleURL
        let entries =
            (try? FileManager.default.contentsOfDirectory(at: beside, includingPropertiesForKeys: nil)) ?? []
        return entries.filter { $0.pathExtension == "resources" }.sorted { $0.path < $1.path }
    }
}
