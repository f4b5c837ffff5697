import Foundation

/// A model in the folder of a target.
struct ModelFolder {
    /// The folder. It is an input of a command, so that SwiftPM does not warn of an unhandled file of the target.
    let url: URL
    /// The files that the code depends on: the XML of each version, and which version is the current one.
    let files: [URL]

    var name: String { url.deletingPathExtension().lastPathComponent }

    /// The models in a folder and its subfolders, sorted by path.
    ///
    /// They are looked for in the file system, since a target that excludes them, so that they are not copied as
    /// resources, does not list them.
    static func all(in folder: URL) throws -> [ModelFolder] {
        guard let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            return []
        }
        var models: [ModelFolder] = []
        for case let url as URL in walk where ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) {
            walk.skipDescendants()
            models.append(ModelFolder(url: url, files: files(of: url)))
        }
        return models.sorted { $0.url.path < $1.url.path }
    }

    private static func files(of model: URL) -> [URL] {
        let walk = FileManager.default.enumerator(at: model, includingPropertiesForKeys: nil)
        let files = (walk?.allObjects ?? []).compactMap { $0 as? URL }
        return files.filter { ["contents", "elements", ".xccurrentversion"].contains($0.lastPathComponent) }
            .sorted { $0.path < $1.path }
    }
}
