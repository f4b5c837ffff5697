import ModelTools

/// A model that is edited: all versions of an `.xcdatamodeld`, or an `.xcdatamodel` by itself. A compiled model is shown.
///
/// What is edited are the trees of the files, so that what is not edited stays as it is, byte by byte. Each change
/// is one step of undo. Nothing is written before `save()`, except that a new version is there at once, as in Xcode.
package actor ModelDocument {
    /// The folder that was opened.
    package let url: URL
    var file: XcodeModelFile
    var versions: [DocumentVersion]
    /// What was removed, and can come back. Their folders go with the next save.
    var removed: [DocumentVersion] = []
    /// The version that applications use.
    var currentID: UUID
    /// Why the files do not say which version is the current one, if they do not. The next save makes them say it.
    private(set) var markerProblem: ModelFileError?
    /// Grows with every change, so that a page knows whether it has seen the last one.
    var revision = 1
    private var undoSteps: [Step] = []
    private var redoSteps: [Step] = []

    private static let maxSteps = 500

    /// The state before a change.
    private struct Step: Sendable {
        let title: String
        let version: UUID
        let before: StateBefore
    }

    /// What a change has changed, as it was before.
    enum StateBefore: Sendable {
        case tree(ModelElement)
        case name(String)
        case current(UUID)
        /// Whether the version was there, and which was the current one.
        case presence(Bool, current: UUID)
    }

    /// Opens a model. Where it is not clear which version is the current one, one is taken for it, and the next save
    /// writes that.
    ///
    /// - Throws: `ModelFileError` if there is none, if it is in no form that is known, or if no version of it can be
    ///   read.
    package init(opening url: URL) throws {
        try Self.checkForm(url)
        var unclear: ModelFileError?
        let file = try Self.read(url) { unclear = $0 }
        self.url = url
        markerProblem = unclear
        self.file = file
        let versions = file.versions.map { DocumentVersion($0, below: url) }
        guard let current = versions.first(where: { $0.savedName == file.currentVersion.name }) else {
            throw ModelFileError(.unreadable, "it has no version", file: url)
        }
        self.versions = versions
        currentID = current.id
        if let problem = versions.compactMap(\.problem).first, versions.allSatisfy({ $0.problem != nil }) {
            // The error itself names the file better than one about it.
            _ = try XcodeModelFile.contents(of: file.currentVersion.url)
            throw ModelFileError(.unreadable, problem, file: url)
        }
    }

    /// Makes a folder `.xcdatamodeld` with a model without entities, and opens it.
    ///
    /// - Throws: `ModelFileError` if there is something already, or if it cannot be written.
    package static func create(at url: URL) throws -> ModelDocument {
        guard url.pathExtension == "xcdatamodeld" else {
            throw ModelFileError(
                .unsupportedForm, "a new model is a folder with the extension .xcdatamodeld", file: url)
        }
        let tree = ModelElement("model", attributes: XcodeDocumentSettings().attributes)
        _ = try XcodeModelFile.create(at: url, contents: tree)
        return try ModelDocument(opening: url)
    }

    /// Whether there is something that is not saved.
    package var isEdited: Bool {
        markerProblem != nil || versions.first { $0.id == currentID }?.savedName != file.currentVersion.name
            || versions.contains(where: \.isEdited) || removed.contains(where: \.isOnDisk)
    }

    /// The name of the version that applications use.
    var currentVersion: String { versions.first { $0.id == currentID }?.name ?? "" }

    var undoTitle: String? { undoSteps.last?.title }
    var redoTitle: String? { redoSteps.last?.title }
    var savedCurrentVersion: String { file.currentVersion.name }

    // MARK: Versions

    /// The index of a version that can be read.
    ///
    /// - Throws: `EditError` if there is none of the name, or why it cannot be read.
    func index(of name: String) throws -> Int {
        guard let index = versions.firstIndex(where: { $0.name == name }) else {
            throw EditError("There is no version '\(name)'.")
        }
        if let problem = versions[index].problem { throw EditError(problem) }
        return index
    }

    /// The tree of a version as it is edited.
    package func tree(of version: String) throws -> ModelElement { try versions[index(of: version)].tree }

    /// The tree of a version as its file has it.
    func savedTree(of version: String) throws -> ModelElement { try versions[index(of: version)].saved }

    // MARK: Editing

    /// Makes a change.
    ///
    /// - Parameter seen: the revision that the positions of the edit are of.
    /// - Returns: the position of the changed element afterwards.
    /// - Throws: `EditError` if it cannot be made, or if another user has changed the model meanwhile.
    @discardableResult
    package func perform(_ edit: ModelEdit, in version: String, seen: Int? = nil) throws -> [Int]? {
        try refuseReadOnly()
        if let seen, seen != revision { throw StaleRevision() }
        let index = try index(of: version)
        var editing = ModelEditing(versions[index].tree)
        let location = try editing.perform(edit)
        guard !editing.root.isIdentical(to: versions[index].tree) else { return location }
        note(edit.title, versions[index].id, .tree(versions[index].tree))
        versions[index].tree = editing.root
        return location
    }

    /// A page has requested a change of a revision that it has not seen.
    struct StaleRevision: Error, LocalizedError {
        var errorDescription: String? {
            "The model has been changed in another window; this one shows it now. Please do it again."
        }
    }

    /// Notes what is about to be changed.
    func note(_ title: String, _ version: UUID, _ before: StateBefore) {
        undoSteps.append(Step(title: title, version: version, before: before))
        if undoSteps.count > Self.maxSteps { undoSteps.removeFirst() }
        redoSteps = []
        revision += 1
    }

    /// Takes the last change back.
    ///
    /// - Returns: the version that it was in; `nil` if there is none, or if the version is not there any more.
    package func undo() -> String? {
        guard let step = undoSteps.popLast(), let now = restore(step) else { return nil }
        redoSteps.append(now)
        return versions.first { $0.id == step.version }?.name
    }

    /// Redoes the change that was undone last.
    package func redo() -> String? {
        guard let step = redoSteps.popLast(), let now = restore(step) else { return nil }
        undoSteps.append(now)
        return versions.first { $0.id == step.version }?.name
    }

    /// - Returns: the state as it was until now.
    private func restore(_ step: Step) -> Step? {
        let now: StateBefore
        if case .presence(let wasThere, let current) = step.before {
            now = .presence(!wasThere, current: currentID)
            guard move(step.version, isThere: wasThere) else { return nil }
            currentID = current
        } else {
            guard let index = versions.firstIndex(where: { $0.id == step.version }) else { return nil }
            switch step.before {
            case .tree(let tree):
                now = .tree(versions[index].tree)
                versions[index].tree = tree
            case .name(let name):
                now = .name(versions[index].name)
                versions[index].name = name == versions[index].name ? name : freeName(name)
                sortVersions()
            case .current(let current):
                now = .current(currentID)
                currentID = current
            case .presence: return nil
            }
        }
        revision += 1
        return Step(title: step.title, version: step.version, before: now)
    }

    // MARK: Files

    /// Writes what has been changed, each file completely or not at all.
    ///
    /// - Throws: `DiskChanged` if a file is another one than was read, `ModelFileError` if one cannot be written.
    package func save() throws {
        try refuseChangedDisk()
        try saveFolders()
        let isReplacing = versions.contains(where: \.isReplacing)
        for index in versions.indices where versions[index].hasEditedContents {
            try versions[index].save()
            revision += 1
        }
        if isReplacing { try findReplaced() }
        if markerProblem != nil || currentVersion != file.currentVersion.name {
            try saveCurrentVersion(named: currentVersion)
        }
    }

    /// Writes which version is the current one.
    ///
    /// - Throws: `DiskChanged` if another program has chosen one, `ModelFileError` if it cannot be written.
    func saveCurrentVersion(named name: String) throws {
        guard try readAgain().currentVersion.name == file.currentVersion.name else {
            throw DiskChanged(names: [CurrentVersionMarker.fileName])
        }
        try file.setCurrentVersion(named: name)
        markerProblem = nil
        revision += 1
    }

    /// Finds the versions again after some were put back. What says which is the current one may be gone with them.
    private func findReplaced() throws {
        let marker = url.appendingPathComponent(CurrentVersionMarker.fileName)
        if !FileManager.default.fileExists(atPath: marker.path) {
            try file.setCurrentVersion(named: file.currentVersion.name)
        }
        let now = try readAgain()
        guard now.currentVersion.name == file.currentVersion.name else {
            throw DiskChanged(names: [CurrentVersionMarker.fileName])
        }
        file = now
    }

    func refuseChangedDisk() throws {
        let changed = changedOnDisk(isThorough: true)
        guard changed.isEmpty else { throw DiskChanged(names: changed) }
    }

    /// Finds the versions on disk.
    ///
    /// - Parameter unclear: called when it is not clear which version is the current one, as for `XcodeModelFile`.
    /// - Throws: `ModelFileError` if that cannot be done, or if the mark of the current version is a link; what `unclear`
    ///   throws.
    static func read(
        _ url: URL, unclear: (ModelFileError) throws -> Void = { throw $0 }
    ) throws -> XcodeModelFile {
        try DocumentVersion.refuseLink(url.appendingPathComponent(CurrentVersionMarker.fileName))
        guard !isCompiled(url) else { return try readCompiled(url) }
        return try XcodeModelFile(url: url, unclear: unclear)
    }

    /// Finds the versions on disk. What was unclear before may still be so.
    ///
    /// - Throws: `ModelFileError` if that cannot be done.
    func readAgain() throws -> XcodeModelFile {
        try Self.read(url) { problem in
            guard problem == markerProblem else { throw problem }
        }
    }

    /// The files say now which version is the current one.
    func clearMarkerProblem() { markerProblem = nil }

    /// What prevents a save.
    package struct DiskChanged: Error, LocalizedError {
        /// The changed versions, or files.
        package let names: [String]
        package var errorDescription: String? {
            "Changed on disk since it was read: \(names.joined(separator: ", ")). Merge the changes first."
        }
    }

    /// The versions whose files are others than were read or written last, versions that are new, and, if another
    /// one has become the current version or it is not clear any more which is, `.xccurrentversion`.
    ///
    /// - Parameter isThorough: whether files are read that look as they did. To ask often costs little without.
    package func changedOnDisk(isThorough: Bool = false) -> [String] {
        let known = (versions + removed).filter(\.isOnDisk)
        var changed = known.filter { $0.isChangedOnDisk(isThorough: isThorough) }.map(\.name)
        var unclear: ModelFileError?
        guard let now = try? Self.read(url, unclear: { unclear = $0 }) else {
            // Of a folder that is there, what cannot be read is the mark.
            let isThere = FileManager.default.fileExists(atPath: url.path)
            return isThere && url.pathExtension == "xcdatamodeld"
                ? changed + [CurrentVersionMarker.fileName] : changed
        }
        changed += now.versions.map(\.name).filter { name in !known.contains { $0.savedName == name } }
        if unclear != markerProblem
            || (unclear == nil && now.currentVersion.name != file.currentVersion.name)
        {
            changed.append(CurrentVersionMarker.fileName)
        }
        return changed
    }

    /// Takes over what is on disk, with what came of a merge. What was undone before would take the work of others
    /// away, so that there is nothing to undo afterwards.
    ///
    /// - Parameters:
    ///   - merged: by the name of the folder what came of each.
    ///   - gone: the names of folders of versions that go.
    ///   - problem: why the files do not say which version is the current one, if they do not. It stays which it was.
    ///   - unseen: whether a folder is that of a version that the document does not have.
    func adopt(
        _ merged: [String: MergedVersion], gone: Set<String>, _ now: XcodeModelFile,
        unclear problem: ModelFileError?, unseen: (XcodeModelFile.Version) -> Bool
    ) {
        let added = now.versions.filter(unseen)
        let hasOwnCurrent =
            versions.first { $0.id == currentID }.map {
                (problem != nil || $0.savedName != file.currentVersion.name) && !gone.contains($0.savedName)
            } ?? false
        versions.removeAll { gone.contains($0.savedName) }
        for index in versions.indices {
            switch versions[index].isOnDisk ? merged[versions[index].savedName] : nil {
            case .merged(let tree, let theirs, let bytes):
                versions[index].tree = tree
                versions[index].setSaved(theirs, bytes: bytes)
            case .kept(let seen): versions[index].replace(seen)
            case nil: break
            }
            // A new name that another program has used meanwhile stays on disk.
            if added.contains(where: { $0.name == versions[index].name }) {
                versions[index].releaseName()
            }
        }
        versions += added.map { DocumentVersion($0, below: url) }
        // What was removed here and changed by another program is there again.
        removed.removeAll { version in
            !version.isOnDisk || added.contains { $0.name == version.savedName }
                || !now.versions.contains { $0.name == version.savedName }
        }
        if !hasOwnCurrent,
            let current = versions.first(where: { $0.savedName == now.currentVersion.name })
        {
            currentID = current.id
        }
        file = now
        markerProblem = problem
        sortVersions()
        undoSteps = []
        redoSteps = []
        revision += 1
    }
}

/// A version after a merge.
enum MergedVersion: Sendable {
    /// The result, what the file holds now, and its bytes.
    case merged(tree: ModelElement, theirs: ModelElement, bytes: Data)
    /// The editor's version is to be written over what the file holds.
    case kept(seen: Data?)
}
