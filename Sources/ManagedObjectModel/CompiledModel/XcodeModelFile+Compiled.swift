import CocoaFoundation

extension XcodeModelFile {
    /// Finds the versions of a compiled model. Each is a file `.mom`, where a model in the files of Xcode has a folder
    /// `.xcdatamodel`.
    ///
    /// - Parameter url: a folder `.momd` or a file `.mom`.
    /// - Throws: `ModelFileError` if the folder or its list of versions cannot be read, or if it is not clear which version
    ///   is the current one.
    package init(compiled url: URL) throws {
        guard !Self.isCompiled(url) else {
            self.init(
                versions: [Version(name: url.deletingPathExtension().lastPathComponent, url: url)], 0, url)
            return
        }
        let folder = try CompiledModelFolder(url: url)
        let current = try folder.currentVersion()
        self.init(
            versions: folder.versions.map { Version(name: $0.name, url: $0.url) },
            folder.versions.firstIndex(of: current) ?? 0, url)
    }

    private init(versions: [Version], _ current: Int, _ url: URL) {
        self.versions = versions
        currentVersion = versions[current]
        self.url = url
    }
}
