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
    /// - Parameter url: a folder `.xcdatamodeld` or `.xcdatamodel`.
    /// - Throws: `ModelFileError` if there is no model, or if it is not clear which version is the current
    ///   one.
    package init(url: URL) throws {
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
        currentVersion = try Self.currentVersion(of: versions, in: url)
    }

    /// The version of a name.
    ///
    /// - Throws: `ModelFileError`, with the names that there are, if it is not there.
    package func version(named name: String) throws -> Version {
        if let version = versions.first(where: { $0.name == name }) { return version }
        let known = versions.map(\.name).joined(separator: ", ")
        throw ModelFileError(
            .unknownName, "there is no version '\(name)'; there are: \(known)", file: url)
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

    /// Reads the XML of a version.
    package static func contents(of version: URL) throws -> ModelElement {
        try tree(of: contentsFile(of: version))
    }

    /// The file of a version that holds its XML.
    ///
    /// - Throws: `ModelFileError` for a version in the form of Xcode 3, which has no XML.
    static func contentsFile(of version: URL) throws -> URL {
        let contents = version.appendingPathComponent("contents")
        let elements = version.appendingPathComponent("elements")
        if !FileManager.default.fileExists(atPath: contents.path),
            FileManager.default.fileExists(atPath: elements.path)
        {
            throw ModelFileError(
                .unsupportedForm,
                "the model has the binary form of Xcode 3 (files 'elements' and 'layout'), which is not read; "
                    + "open and save it with Xcode 4 or later", file: version)
        }
        return contents
    }

    /// Reads an XML file.
    package static func tree(of file: URL) throws -> ModelElement {
        do {
            return try ModelElement(xml: BoundedFile.read(file, limit: ModelElement.Limit.fileSize))
        } catch var error as ModelFileError {
            error.file = file
            throw error
        }
    }
}

/// Reading of a file that may be larger than it should be, or no file at all.
enum BoundedFile {
    static func read(_ url: URL, limit: Int) throws -> Data {
        let type = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)[
            .type]
        guard let type = type as? FileAttributeType else {
            throw ModelFileError(.unreadable, "there is no such file", file: url)
        }
        guard type == .typeRegular else {
            throw ModelFileError(.unreadable, "it is not a regular file", file: url)
        }
        do {
            let handle = try FileHandle(forReadingFrom: url)
            defer { try? handle.close() }
            let data = try handle.read(upToCount: limit + 1) ?? Data()
            guard data.count <= limit else {
                throw ModelFileError(.tooLarge, "the file is larger than \(limit) bytes", file: url)
            }
            return data
        } catch let error as ModelFileError {
            throw error
        } catch {
            throw ModelFileError(
                .unreadable, "the file cannot be read: \(error.localizedDescription)", file: url)
        }
    }
}
