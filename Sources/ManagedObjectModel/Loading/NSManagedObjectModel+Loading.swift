import CocoaFoundation

extension NSManagedObjectModel {
    /// Reads a model from a file, and says what is wrong if it cannot be read.
    ///
    /// - Parameter url: a folder `.xcdatamodeld` or `.momd`, of which the current version is read, a folder
    ///   `.xcdatamodel`, the file `contents` in it, or `elements` of Xcode 3, or a compiled model `.mom`.
    /// - Throws: `ModelFileError` with the file, the line, the entity and property, and the reason.
    public convenience init(loading url: URL) throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw ModelFileError(.unreadable, "there is no such file", file: url)
        }
        var file = url
        if isDirectory.boolValue {
            if CompiledModelFolder.isCompiledModel(url) {
                file = try CompiledModelFolder(url: url).currentVersion().url
            } else {
                file = try XcodeModelFile.file(of: XcodeModelFile(url: url).currentVersion.url)
            }
        }
        let data = try BoundedFile.read(file, limit: ModelArchive.largestFile)
        do {
            if file.lastPathComponent == XcodeModelFile.archiveName {
                try self.init(tree: XcodeModelFile.tree(of: data, in: file))
            } else if CompiledModelFolder.isCompiledModel(data) {
                try self.init(compiled: data)
            } else {
                try self.init(tree: ModelElement(xml: data))
            }
        } catch var error as ModelFileError {
            error.file = file
            throw error
        }
    }

    /// Reads a model from a file.
    ///
    /// - Returns: `nil` if there is no model that can be read. `init(loading:)` says why.
    public convenience init?(contentsOf url: URL) {
        do {
            try self.init(loading: url)
        } catch {
            return nil
        }
    }

    /// Makes a model from the tree of a `contents` file.
    ///
    /// - Throws: `ModelFileError`, without a file.
    package convenience init(tree: ModelElement) throws {
        self.init()
        var builder = ModelBuilder(tree)
        try builder.build(self)
    }

    // MARK: Models in bundles

    /// The models that are part of the program's code and those among its resources: of each the current version. Of
    /// two of one name the one in the code counts.
    static func modelsOfProgram() -> [NSManagedObjectModel] {
        let embedded = EmbeddedModels.all
        let names = Set(embedded.map(\.name))
        let files = modelFiles(in: [.main]).filter {
            !names.contains($0.deletingPathExtension().lastPathComponent)
        }
        return embedded.compactMap { try? $0.model() }
            + files.compactMap { NSManagedObjectModel(contentsOf: $0) }
    }

    /// The same, of each all versions; of two of one name both.
    static func modelVersionsOfProgram() -> [NSManagedObjectModel] {
        EmbeddedModels.all.flatMap { model in model.versions.compactMap { try? model.model(of: $0) } }
            + modelVersions(in: [.main])
    }

    /// The models among the resources of bundles: of each the current version.
    static func models(in bundles: [Bundle]) -> [NSManagedObjectModel] {
        modelFiles(in: bundles).compactMap { NSManagedObjectModel(contentsOf: $0) }
    }

    /// The models among the resources of bundles: of each all versions.
    static func modelVersions(in bundles: [Bundle]) -> [NSManagedObjectModel] {
        modelFiles(in: bundles).flatMap { url in
            ((try? versions(at: url)) ?? []).compactMap { NSManagedObjectModel(contentsOf: $0) }
        }
    }

    /// The models and the versions of models that have a name among the resources of a bundle.
    static func models(named name: String, in bundle: Bundle) -> [NSManagedObjectModel] {
        modelFiles(in: [bundle]).flatMap { url in
            let versions = (try? versions(at: url)) ?? []
            guard url.deletingPathExtension().lastPathComponent != name else { return versions }
            return versions.filter { $0.deletingPathExtension().lastPathComponent == name }
        }.compactMap { NSManagedObjectModel(contentsOf: $0) }
    }

    /// The files of all versions of a model, or the file itself.
    ///
    /// - Throws: `ModelFileError` for a folder that cannot be read.
    static func versions(at url: URL) throws -> [URL] {
        if CompiledModelFolder.isCompiledModel(url) {
            return try CompiledModelFolder(url: url).versions.map(\.url)
        }
        guard url.pathExtension == "xcdatamodeld" else { return [url] }
        return try XcodeModelFile(url: url).versions.map(\.url)
    }

    private static func modelFiles(in bundles: [Bundle]) -> [URL] {
        var files: [URL] = []
        for bundle in bundles {
            for kind in ["momd", "mom", "xcdatamodeld", "xcdatamodel"] {
                let found = bundle.urls(forResourcesWithExtension: kind, subdirectory: nil) ?? []
                files += found.map { $0 as URL }
            }
        }
        return files.sorted { $0.path.utf8Precedes($1.path) }
    }
}
