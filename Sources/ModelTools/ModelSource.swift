@_exported import ManagedObjectModel

/// A model in a file of any form: the sources of Xcode, or compiled.
package struct ModelSource {
    /// The file or folder of the model, or of the version that was chosen.
    package let url: URL

    /// - Parameters:
    ///   - path: a folder `.xcdatamodeld`, `.xcdatamodel` or `.momd`, or a file `.mom`.
    ///   - version: the name of one of the versions; nil for the current one.
    /// - Throws: ``ModelFileError`` when the file or the version is not there.
    package init(path: String, version: String? = nil) throws {
        let url = URL(fileURLWithPath: path)
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw ModelFileError(.unreadable, "there is no such file", file: url)
        }
        guard let version else {
            self.url = url
            return
        }
        let names = [version, "\(version).xcdatamodel", "\(version).mom"]
        let versions = try FileManager.default.contentsOfDirectory(atPath: url.path)
            .filter { $0.hasSuffix(".xcdatamodel") || $0.hasSuffix(".mom") }
        guard let name = versions.first(where: names.contains) else {
            let known = versions.map { ($0 as NSString).deletingPathExtension }.sorted()
            throw ModelFileError(
                .unknownName,
                "there is no version '\(version)'; the versions are: \(known.joined(separator: ", "))",
                file: url)
        }
        self.url = url.appendingPathComponent(name)
    }

    /// Reads the model.
    ///
    /// - Throws: ``ModelFileError``.
    package func load() throws -> NSManagedObjectModel { try NSManagedObjectModel(loading: url) }
}
