import CocoaFoundation

extension CompiledModelFolder {
    /// Compiles a model of Xcode as Apple's compiler does: all versions of a folder `.xcdatamodeld` into a folder
    /// `.momd`, and a folder `.xcdatamodel` into a file `.mom`.
    ///
    /// - Parameters:
    ///   - source: a folder `.xcdatamodeld` or `.xcdatamodel`.
    ///   - target: where the compiled model goes. A compiled model that is there is replaced when all of the new one has
    ///     been written.
    /// - Throws: `ModelFileError` for a source that cannot be read or compiled, and for a target that cannot be written
    ///   or is something else.
    package static func compile(_ source: URL, to target: URL) throws {
        let file = try XcodeModelFile(url: source)
        if source.pathExtension != "xcdatamodeld" {
            let model = try NSManagedObjectModel(loading: file.currentVersion.url)
            try write(try compiledData(model, from: file.currentVersion.url), to: target)
            return
        }
        let versions = try file.versions.map { version in
            (name: version.name, model: try NSManagedObjectModel(loading: version.url))
        }
        // Apple's compiler names the current version where the source does.
        let isNamed = try file.versions.count > 1 || namesCurrentVersion(source)
        try write(versions, currentVersion: isNamed ? file.currentVersion.name : nil, to: target)
    }

    private static func namesCurrentVersion(_ source: URL) throws -> Bool {
        let marker = source.appendingPathComponent(".xccurrentversion")
        guard FileManager.default.fileExists(atPath: marker.path) else { return false }
        let list = try PropertyListDictionary(BoundedFile.read(marker, limit: VersionInfo.largestFile))
        return try list.text("_XCCurrentVersionName") != nil
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
        var info = VersionInfo()
        info.currentVersionName = currentVersion
        var files: [(name: String, data: Data)] = []
        for (name, model) in versions {
            guard !name.isEmpty, !name.contains("/"), !name.contains("\0"), !name.hasPrefix(".") else {
                throw ModelFileError(.invalidValue, "'\(name)' cannot be the name of a version", file: target)
            }
            guard info.versionHashes[name] == nil else {
                throw ModelFileError(.duplicateName, "there are two versions '\(name)'", file: target)
            }
            files.append(("\(name).mom", try compiledData(model, from: target)))
            info.versionHashes[name] = model.entityVersionHashesByName
            info.versionChecksums[name] = model.versionChecksum
        }
        if let currentVersion, info.versionHashes[currentVersion] == nil {
            throw ModelFileError(
                .unknownName, "the current version '\(currentVersion)' is not among the versions",
                file: target)
        }
        files.append((listName, info.data()))
        try replace(target, byFolder: true) { draft in
            try FileManager.default.createDirectory(at: draft, withIntermediateDirectories: false)
            for (name, data) in files { try data.write(to: draft.appendingPathComponent(name)) }
        }
    }

    private static func compiledData(_ model: NSManagedObjectModel, from file: URL) throws -> Data {
        do {
            return try model.compiledData()
        } catch var error as ModelFileError {
            error.file = file
            throw error
        }
    }

    private static func write(_ data: Data, to target: URL) throws {
        try replace(target, byFolder: false) { draft in try data.write(to: draft) }
    }

    /// Makes sure that nothing is lost with what is at the place of the target: a file that becomes one, or a folder
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

    /// Puts what is made at the place of a draft into the place of the target.
    private static func replace(_ target: URL, byFolder: Bool, with make: (URL) throws -> Void) throws {
        try checkReplaceable(target, byFolder: byFolder)
        let files = FileManager.default
        let folder = target.deletingLastPathComponent()
        let mark = UUID().uuidString
        let draft = folder.appendingPathComponent(".\(target.lastPathComponent).\(mark).draft")
        let former = folder.appendingPathComponent(".\(target.lastPathComponent).\(mark).former")
        do {
            defer { try? files.removeItem(at: draft) }
            try make(draft)
            guard files.fileExists(atPath: target.path) else {
                return try files.moveItem(at: draft, to: target)
            }
            try files.moveItem(at: target, to: former)
            do {
                try files.moveItem(at: draft, to: target)
            } catch {
                try? files.moveItem(at: former, to: target)
                throw error
            }
            try? files.removeItem(at: former)
        } catch {
            throw ModelFileError(
                .unwritable, "the compiled model cannot be written: \(error.localizedDescription)",
                file: target)
        }
    }
}
