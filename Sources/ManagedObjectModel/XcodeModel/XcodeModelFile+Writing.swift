import CocoaFoundation
import DurableFiles

extension XcodeModelFile {
    /// Makes a folder `.xcdatamodeld` with one version, which has the name of the folder and is the current one.
    ///
    /// The folder is there completely or not at all.
    ///
    /// - Throws: `ModelFileError` if there is something at the location already, or if it cannot be written.
    package static func create(at url: URL, contents tree: ModelElement) throws -> XcodeModelFile {
        let name = url.deletingPathExtension().lastPathComponent
        return try create(at: url, versions: [(name, tree)], currentVersion: name)
    }

    /// Makes a folder `.xcdatamodeld` with versions, of which one is the current one.
    ///
    /// The folder is there completely or not at all.
    ///
    /// - Throws: `ModelFileError` if there is something at the location already, if a name cannot be that of a folder or
    ///   occurs twice, or if it cannot be written.
    @discardableResult
    package static func create(
        at url: URL, versions: [(name: String, contents: ModelElement)], currentVersion: String
    ) throws -> XcodeModelFile {
        try location(at: url) { folder in
            for (name, tree) in versions {
                try checkVersionName(name, url)
                let version = folder.appendingPathComponent("\(name).xcdatamodel")
                try writing(version) { try DurableFile.makeFolder(version) }
                try write(tree, to: version)
            }
            try write(
                CurrentVersionMarker(versionFolderName: "\(currentVersion).xcdatamodel").data,
                to: folder.appendingPathComponent(CurrentVersionMarker.fileName))
        }
        return try XcodeModelFile(url: url)
    }

    private static func checkVersionName(_ name: String, _ url: URL) throws {
        guard !name.isEmpty, !name.hasPrefix("."), !name.contains(where: { $0 == "/" || $0 == "\0" }) else {
            throw ModelFileError(.invalidValue, "'\(name)' cannot be the name of a version", file: url)
        }
    }

    /// Adds a version to a folder `.xcdatamodeld`. The current version stays what it is.
    ///
    /// - Throws: `ModelFileError` if there is a version of the name, if the name cannot be that of a folder, or
    ///   if it cannot be written.
    @discardableResult
    package mutating func addVersion(named name: String, contents tree: ModelElement) throws -> Version {
        try Self.checkVersionName(name, url)
        let version = Version(
            name: name, url: url.appendingPathComponent("\(name).xcdatamodel", isDirectory: true))
        guard !currentVersion.url.path.utf8.elementsEqual(url.path.utf8) else {
            throw ModelFileError(
                .unsupportedForm, "a single .xcdatamodel has no versions; put it into a .xcdatamodeld",
                file: url)
        }
        guard !versions.contains(where: { $0.name == name }) else {
            throw ModelFileError(.duplicateName, "there is a version '\(name)' already", file: url)
        }
        // First: a folder with one version need not say which is the current one, a folder with two has to.
        try setCurrentVersion(currentVersion)
        try Self.location(at: version.url) { try Self.write(tree, to: $0) }
        versions = (versions + [version]).sorted(by: Self.inOrder)
        return version
    }

    /// Makes a version the one that applications use.
    ///
    /// - Throws: `ModelFileError` if there is no version of the name, or if it cannot be written.
    package mutating func setCurrentVersion(named name: String) throws {
        guard let version = versions.first(where: { $0.name == name }) else {
            throw ModelFileError(.unknownName, "there is no version '\(name)'", file: url)
        }
        try setCurrentVersion(version)
    }

    private mutating func setCurrentVersion(_ version: Version) throws {
        guard version.url.path != url.path else { return }
        let marker = url.appendingPathComponent(CurrentVersionMarker.fileName)
        let data = CurrentVersionMarker(versionFolderName: version.url.lastPathComponent).data
        try Self.write(data, to: marker)
        currentVersion = version
    }

    /// Writes the contents of a version. The file is there completely or stays as it was.
    ///
    /// - Parameter version: the folder `.xcdatamodel`, which has to exist.
    package static func write(_ tree: ModelElement, to version: URL) throws {
        let file = version.appendingPathComponent("contents")
        do {
            try write(tree.xml(), to: file)
        } catch var error as ModelFileError {
            error.file = file
            throw error
        }
    }

    /// Writes the bytes of the contents of a version. The file is there completely or stays as it was.
    ///
    /// - Parameters:
    ///   - version: the folder `.xcdatamodel`, which has to exist.
    ///   - check: called when the bytes are on disk under a provisional name, right before they replace the
    ///     file; nothing is replaced if it throws.
    package static func write(_ data: Data, to version: URL, check: () throws -> Void) throws {
        let file = version.appendingPathComponent("contents")
        var isRefused = false
        do {
            try DurableFile.write(data, to: file) {
                do {
                    try check()
                } catch {
                    isRefused = true
                    throw error
                }
            }
        } catch  where !isRefused {
            throw ModelFileError(
                .unwritable, "it cannot be written: \(error.localizedDescription)", file: file)
        }
    }

    private static func write(_ data: Data, to file: URL) throws {
        try writing(file) { try DurableFile.write(data, to: file) }
    }

    /// Makes a folder as a draft, fills it and gives it its name.
    private static func location(at url: URL, _ fill: (URL) throws -> Void) throws {
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw ModelFileError(.duplicateName, "a file or folder of this name exists already", file: url)
        }
        var made: FileDraft?
        try writing(url) {
            let draft = try FileDraft(for: url, isFolder: true)
            try DurableFile.makeFolder(draft.url)
            made = draft
        }
        guard let draft = made else { return }
        defer { draft.discard() }
        try fill(draft.url)
        try writing(url) { try draft.placeFolder(replacing: false) }
    }

    private static func writing(_ url: URL, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as ModelFileError {
            throw error
        } catch {
            throw ModelFileError(
                .unwritable, "it cannot be written: \(error.localizedDescription)", file: url)
        }
    }
}
