import CocoaFoundation

/// A model in the files of Xcode: a folder `.xcdatamodel` with a file `contents`, or a folder
/// `.xcdatamodeld` with several of them, the versions of the model.
package struct XcodeModelFile {
    /// One version of a model.
    package struct Version: Sendable, Equatable {
        /// The name, which is that of the folder without its extension.
        package let name: String
        /// The folder `.xcdatamodel`.
        package let url: URL
    }

    /// The versions in the order of their names, compared as people do (2 before 10).
    package internal(set) var versions: [Version]
    /// The version that applications use.
    package internal(set) var currentVersion: Version
    /// The folder `.xcdatamodeld`, or `.xcdatamodel` for a model without versions.
    package let url: URL

    /// Finds the versions of a model.
    ///
    /// - Parameters:
    ///   - url: a folder `.xcdatamodeld` or `.xcdatamodel`.
    ///   - unclear: called when it is not clear which version is the current one, with why. If it does not throw, that is
    ///     the version with the name of the folder, or else the last one.
    /// - Throws: `ModelFileError` if there is no model; what `unclear` throws.
    package init(url: URL, unclear: (ModelFileError) throws -> Void = { throw $0 }) throws {
        self.url = url
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw ModelFileError(
                .unreadable, "the folder cannot be read: \(error.localizedDescription)", file: url)
        }
        if names.contains("contents") || names.contains("elements") {
            currentVersion = Version(name: url.deletingPathExtension().lastPathComponent, url: url)
            versions = [currentVersion]
            return
        }
        versions =
            names.filter { $0.hasSuffix(".xcdatamodel") }
            .map {
                Version(
                    name: String($0.dropLast(".xcdatamodel".count)), url: url.appendingPathComponent($0))
            }
            .sorted(by: Self.inOrder)
        do {
            currentVersion = try Self.currentVersion(of: versions, in: url)
        } catch let error as ModelFileError {
            let base = url.deletingPathExtension().lastPathComponent
            guard let usual = versions.first(where: { $0.name == base }) ?? versions.last else { throw error }
            try unclear(error)
            currentVersion = usual
        }
    }

    /// The version of a name.
    ///
    /// - Throws: `ModelFileError`, with the names that there are, if it is not there.
    package func version(named name: String) throws -> Version {
        if let version = versions.first(where: { $0.name == name }) { return version }
        let known = versions.map(\.name).joined(separator: ", ")
        throw ModelFileError(
            .unknownName, "there is no version '\(name)'; the versions are: \(known)", file: url)
    }

    static func inOrder(_ a: Version, _ b: Version) -> Bool {
        a.name.compare(b.name, options: [.numeric, .caseInsensitive]) == .orderedAscending
    }

    private static func currentVersion(of versions: [Version], in url: URL) throws -> Version {
        let marker = url.appendingPathComponent(CurrentVersionMarker.fileName)
        if FileManager.default.fileExists(atPath: marker.path) {
            if let name = try CurrentVersionMarker(contentsOf: marker).versionFolderName {
                guard let version = versions.first(where: { $0.url.lastPathComponent == name }) else {
                    throw ModelFileError(
                        .unknownName, "the current version '\(name)' is not there", file: marker)
                }
                return version
            }
        }
        let base = url.deletingPathExtension().lastPathComponent
        if let only = versions.first, versions.count == 1 { return only }
        if let namesake = versions.first(where: { $0.name == base }) { return namesake }
        let found = versions.isEmpty ? "no version" : "\(versions.count) versions"
        throw ModelFileError(
            versions.isEmpty ? .unreadable : .missingValue,
            "the folder has \(found) of a model, and nothing in .xccurrentversion says which is the current one",
            file: url)
    }

    /// Reads the tree of a version.
    package static func contents(of version: URL) throws -> ModelElement { try tree(of: file(of: version)) }

    /// The file of a version that holds the model: the XML in `contents`, or where there is none the archive in `elements`,
    /// which Xcode 3 wrote. Of a compiled model a version is a file itself.
    package static func file(of version: URL) -> URL {
        guard !isCompiled(version) else { return version }
        let contents = version.appendingPathComponent("contents")
        let elements = version.appendingPathComponent(archiveName)
        let isArchive =
            !FileManager.default.fileExists(atPath: contents.path)
            && FileManager.default.fileExists(atPath: elements.path)
        return isArchive ? elements : contents
    }

    /// The file of Xcode 3.
    package static let archiveName = "elements"

    static func isCompiled(_ version: URL) -> Bool { version.pathExtension == "mom" }

    /// The bytes of the file of a version.
    ///
    /// - Throws: `ModelFileError` for a file that is not there or too large.
    package static func data(of version: URL) throws -> Data {
        try BoundedFile.read(file(of: version), limit: ModelElement.Limit.fileSize)
    }

    /// Reads a file of a version: XML, or an archive of Xcode 3.
    package static func tree(of file: URL) throws -> ModelElement {
        try tree(of: BoundedFile.read(file, limit: ModelElement.Limit.fileSize), in: file)
    }

    /// The tree in the bytes of the file of a version. That of a compiled model is what Xcode would write for it.
    ///
    /// - Throws: `ModelFileError` with the file.
    package static func tree(of data: Data, in file: URL) throws -> ModelElement {
        do {
            if isCompiled(file) {
                return try ModelElement(model: NSManagedObjectModel(compiled: data))
            }
            return try BinaryPropertyList.isBinaryPropertyList(data)
                ? EditorModelArchive.tree(data) : ModelElement(xml: data)
        } catch let error as ModelFileError {
            throw error.inFile(file)
        }
    }
}
