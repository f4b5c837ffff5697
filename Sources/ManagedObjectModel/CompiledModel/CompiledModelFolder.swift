import CocoaFoundation

/// A compiled model in a folder `.momd`: files `.mom`, the versions of the model, and a list of them.
///
/// Apple's compiler also writes `.omo` files, the same models in a form that is quicker to open. They are passed over
/// where the `.mom` is beside them.
package struct CompiledModelFolder {
    /// One version of a model.
    package struct Version: Sendable, Equatable {
        /// The name, which is that of the file without its extension.
        package let name: String
        /// The file `.mom`.
        package let url: URL
        /// The version hashes of the entities, as the list of versions has them.
        package let versionHashes: [String: Data]?
        /// The checksum, as the list of versions has it. Older compilers wrote none.
        package let versionChecksum: String?
    }

    /// The versions in the order of their names, compared as people do (2 before 10).
    package let versions: [Version]
    private let url: URL
    private let info: VersionInfo
    /// The files of the folder.
    private let names: [String]

    /// The file that lists the versions.
    static let listName = "VersionInfo.plist"

    /// Finds the versions of a model.
    ///
    /// - Parameter url: a folder `.momd`.
    /// - Throws: `ModelFileError` if the folder or the list of versions cannot be read.
    package init(url: URL) throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw ModelFileError(
                .unreadable, "the folder cannot be read: \(error.localizedDescription)", file: url)
        }
        var info = VersionInfo()
        if names.contains(Self.listName) {
            let list = url.appendingPathComponent(Self.listName)
            do {
                info = try VersionInfo(BoundedFile.read(list, limit: VersionInfo.largestFile))
            } catch var error as ModelFileError {
                error.file = list
                throw error
            }
        }
        versions = names.filter { $0.hasSuffix(".mom") }
            .map {
                let name = String($0.dropLast(".mom".count))
                return Version(
                    name: name, url: url.appendingPathComponent($0), versionHashes: info.versionHashes[name],
                    versionChecksum: info.versionChecksums[name])
            }
            .sorted { $0.name.compare($1.name, options: [.numeric, .caseInsensitive]) == .orderedAscending }
        self.url = url
        self.info = info
        self.names = names
    }

    /// The version that applications use.
    ///
    /// - Throws: `ModelFileError` if it is not there, or if it is not clear which one it is.
    package func currentVersion() throws -> Version {
        // A model that never had more than one version has no name of the current one.
        if let name = info.currentVersionName {
            if let version = versions.first(where: { $0.name == name }) { return version }
            if names.contains("\(name).omo") {
                throw Self.optimized(url.appendingPathComponent("\(name).omo"))
            }
            throw ModelFileError(.unknownName, "the current version '\(name)' is not there", file: url)
        }
        let base = url.deletingPathExtension().lastPathComponent
        if let only = versions.first, versions.count == 1 { return only }
        if let namesake = versions.first(where: { $0.name == base }) { return namesake }
        if versions.isEmpty, let optimized = names.filter({ $0.hasSuffix(".omo") }).min() {
            throw Self.optimized(url.appendingPathComponent(optimized))
        }
        let found = versions.isEmpty ? "no version" : "\(versions.count) versions"
        throw ModelFileError(
            versions.isEmpty ? .unreadable : .missingValue,
            "the folder has \(found) of a model, and nothing in \(Self.listName) says which is the current one",
            file: url)
    }

    /// Whether a folder is one of compiled models.
    static func isCompiledModel(_ folder: URL) -> Bool {
        if folder.pathExtension == "momd" { return true }
        return FileManager.default.fileExists(atPath: folder.appendingPathComponent(listName).path)
    }

    /// Whether data is a compiled model, in a form that is read or one that is not.
    static func isCompiledModel(_ data: Data) -> Bool {
        BinaryPropertyList.isBinaryPropertyList(data) || isOptimized(data)
    }

    /// Whether data is a model in the form of `.omo` files.
    static func isOptimized(_ data: Data) -> Bool { data.starts(with: Data("momv2$".utf8)) }

    static func optimized(_ file: URL? = nil) -> ModelFileError {
        ModelFileError(
            .unsupportedForm,
            "optimized models (.omo) are not read; the same model is in the .mom beside it, or in the .xcdatamodeld "
                + "that it was made from", file: file)
    }
}
