import CocoaFoundation
import DurableFiles

extension CompiledModelFolder {
    /// Compiles a model of Xcode as Apple's compiler does: all versions of a folder `.xcdatamodeld` into a folder
    /// `.momd`, and a folder `.xcdatamodel` into a file `.mom`, or into a folder `.momd` with the one version.
    ///
    /// - Parameters:
    ///   - source: a folder `.xcdatamodeld` or `.xcdatamodel`.
    ///   - target: where the compiled model goes. A compiled model that is there is replaced when all of the new one has
    ///     been written.
    ///   - currentModule: the module of the classes whose module is the "current" one in the model (`.Book`); with nil their
    ///     names stay so.
    /// - Throws: `ModelFileError` for a source that cannot be read or compiled, for a model that contradicts itself, and
    ///   for a target that cannot be written or is something else.
    package static func compile(_ source: URL, to target: URL, currentModule: String? = nil) throws {
        let file = try XcodeModelFile(url: source)
        func draft(_ version: XcodeModelFile.Version) throws -> Draft {
            let model = try NSManagedObjectModel(loading: version.url)
            if let currentModule { model.nameCurrentModule(currentModule) }
            return Draft(name: version.name, model: model, file: version.url)
        }
        if source.pathExtension != "xcdatamodeld" {
            let version = try draft(file.currentVersion)
            if target.pathExtension == "momd" {
                try write([version], currentVersion: nil, to: target)
            } else {
                try write(try compiledData(version.model, from: version.file), to: target)
            }
            return
        }
        let versions = try file.versions.map(draft)
        // Apple's compiler names the current version where the source does.
        let isNamed = try file.versions.count > 1 || namesCurrentVersion(source)
        try write(versions, currentVersion: isNamed ? file.currentVersion.name : nil, to: target)
    }

    private static func namesCurrentVersion(_ source: URL) throws -> Bool {
        let marker = source.appendingPathComponent(CurrentVersionMarker.fileName)
        guard FileManager.default.fileExists(atPath: marker.path) else { return false }
        return try CurrentVersionMarker(contentsOf: marker).versionFolderName != nil
    }

    /// Writes the versions of a model as a folder `.momd`.
    ///
    /// All files are written to a draft beside the target first, so that a failure leaves the target as it was.
    ///
    /// - Parameters:
    ///   - versions: the versions and their names, which become the names of the files.
    ///   - currentVersion: the name of the version that applications use; `nil` for a single version whose source does
    ///     not name it.
    ///   - target: where the folder goes. A compiled model that is there is replaced.
    /// - Throws: `ModelFileError` for names that no file can have, a current version that is not among the versions, a
    ///   model that contradicts itself, and a folder that cannot be written.
    package static func write(
        _ versions: [(name: String, model: NSManagedObjectModel)], currentVersion: String?, to target: URL
    ) throws {
        try write(
            versions.map { Draft(name: $0.name, model: $0.model, file: target) },
            currentVersion: currentVersion, to: target)
    }

    /// A version that is about to be written.
    private struct Draft {
        let name: String
        let model: NSManagedObjectModel
        /// The file that is named when the model cannot be written.
        let file: URL
    }

    private static func write(_ versions: [Draft], currentVersion: String?, to target: URL) throws {
        var info = VersionInfo()
        info.currentVersionName = currentVersion
        var files: [(name: String, data: Data)] = []
        for version in versions {
            let (name, model) = (version.name, version.model)
            guard !name.isEmpty, !name.contains("/"), !name.contains("\0"), !name.hasPrefix(".") else {
                throw ModelFileError(.invalidValue, "'\(name)' cannot be the name of a version", file: target)
            }
            guard info.versionHashes[name] == nil else {
                throw ModelFileError(.duplicateName, "there are two versions '\(name)'", file: target)
            }
            files.append(("\(name).mom", try compiledData(model, from: version.file)))
            let hashes = model.entityVersionHashesByName
            info.versionHashes[name] = hashes
            info.versionChecksums[name] = NSManagedObjectModel.versionChecksum(of: hashes)
        }
        if let currentVersion, info.versionHashes[currentVersion] == nil {
            throw ModelFileError(
                .unknownName, "the current version '\(currentVersion)' is not among the versions",
                file: target)
        }
        files.append((listName, info.data()))
        try checkReplaceable(target, byFolder: true)
        try writing(target) {
            let draft = try FileDraft(for: target, isFolder: true)
            defer { draft.discard() }
            try DurableFile.makeFolder(draft.url)
            for (name, data) in files {
                try DurableFile.make(draft.url.appendingPathComponent(name), data, mode: 0o666)
            }
            try draft.placeFolder(replacing: true)
        }
    }

    private static func compiledData(_ model: NSManagedObjectModel, from file: URL) throws -> Data {
        do {
            try model.checkConsistency()
            return try model.compiledData()
        } catch let error as ModelFileError {
            throw error.inFile(file)
        }
    }

    private static func write(_ data: Data, to target: URL) throws {
        try checkReplaceable(target, byFolder: false)
        try writing(target) { try DurableFile.write(data, to: target) }
    }

    /// Makes sure that nothing is lost with what is at the target's location: a file that becomes one, or a folder
    /// with nothing but compiled models and their list.
    private static func checkReplaceable(_ target: URL, byFolder: Bool) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: target.path, isDirectory: &isFolder) else { return }
        guard isFolder.boolValue == byFolder else {
            throw ModelFileError(
                .unwritable, "there is a \(byFolder ? "file" : "folder") of this name already", file: target)
        }
        guard byFolder else { return }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: target.path)) ?? []
        let foreign = names.filter { $0 != listName && !$0.hasSuffix(".mom") && !$0.hasSuffix(".omo") }
        if let name = foreign.min() {
            throw ModelFileError(
                .unwritable, "the folder is not replaced, because there is '\(name)' in it", file: target)
        }
    }

    private static func writing(_ target: URL, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            throw ModelFileError(
                .unwritable, "the compiled model cannot be written: \(error.localizedDescription)",
                file: target)
        }
    }
}

extension NSManagedObjectModel {
    /// Gives the classes whose module is the "current" one, which is a dot before their names, the name of a module.
    fileprivate func nameCurrentModule(_ module: String) {
        for entity in entities {
            guard let name = entity.managedObjectClassName, name.hasPrefix(".") else { continue }
            entity.managedObjectClassName = module + name
        }
    }
}
