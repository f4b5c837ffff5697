import ModelTools

/// What a merge of the editor's state with the changed files would give.
struct MergePreview: Encodable, Sendable {
    struct Version: Encodable, Sendable {
        let name: String
        /// Why the file cannot be read, if it cannot.
        let problem: String?
        let differences: [TreeMerge.Difference]
    }

    let versions: [Version]
    /// Versions that are on disk only.
    let added: [String]
    /// Versions that were not edited and are not on disk any more.
    let removed: [String]
    /// The current version on disk, if it is another one.
    let currentVersion: String?
    /// Why the files do not say which version is the current one, if they do not.
    let unclear: String?
    /// What it is a preview of.
    let basis: MergeBasis
}

/// The state that a user has seen: that of the document, and of every file.
struct MergeBasis: Codable, Sendable, Equatable {
    let revision: Int
    /// By version the SHA-256 of its file, empty if it cannot be read; and the current version.
    let digests: [String: String]
}

/// The files of a model at one moment.
private struct DiskState {
    let file: Result<XcodeModelFile, any Error>
    /// Why they do not say which version is the current one, if they do not.
    let unclear: ModelFileError?
    let bytes: [String: Result<Data, any Error>]

    init(_ url: URL, _ versions: [DocumentVersion]) {
        var problem: ModelFileError?
        file = Result { try ModelDocument.read(url) { problem = $0 } }
        unclear = problem
        var bytes: [String: Result<Data, any Error>] = [:]
        for version in versions { bytes[version.savedName] = Result { try version.bytesOnDisk() } }
        for version in (try? file.get())?.versions ?? [] where bytes[version.name] == nil {
            bytes[version.name] = Result { try DocumentVersion.bytes(of: version.url, below: url) }
        }
        self.bytes = bytes
    }

    var digests: [String: String] {
        var digests = bytes.mapValues { result in
            guard let bytes = try? result.get() else { return "" }
            return SHA2.sha256(Array(bytes)).map { String(format: "%02x", $0) }.joined()
        }
        digests[CurrentVersionMarker.fileName] = currentVersion ?? unclear?.detail ?? ""
        return digests
    }

    /// The version that the files say is the current one.
    var currentVersion: String? { unclear == nil ? (try? file.get())?.currentVersion.name : nil }

    func bytes(of version: DocumentVersion) -> Data? { try? bytes[version.savedName]?.get() }

    func isChanged(_ version: DocumentVersion) -> Bool {
        version.problem == nil && version.isOnDisk && bytes(of: version) != version.savedBytes
    }

    /// Whether a version that has not been edited is not there any more.
    func isRemoved(_ version: DocumentVersion) -> Bool {
        guard let now = try? file.get(), !version.isEdited else { return false }
        return !now.versions.contains { $0.name == version.savedName }
    }
}

extension ModelDocument {
    /// The files, or the document, are others than when a merge was looked at.
    struct MergeOutdated: Error, LocalizedError {
        var errorDescription: String? {
            "The files or the model have changed in the meantime; this is the merge as it would be now."
        }
    }

    /// What a merge of every version whose file has changed would give.
    func previewMerge() throws -> MergePreview {
        let disk = DiskState(url, versions)
        let now = try? disk.file.get()
        return MergePreview(
            versions: versions.filter { disk.isChanged($0) && !disk.isRemoved($0) }.map { version in
                do {
                    return .init(
                        name: version.savedName, problem: nil,
                        differences: try Self.merge(version, disk, [:]).differences)
                } catch {
                    let text = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
                    return .init(name: version.savedName, problem: text, differences: [])
                }
            },
            added: (now?.versions ?? []).filter { isUnseen($0, disk) }.map(\.name),
            removed: versions.filter(disk.isRemoved).map(\.savedName),
            currentVersion: disk.currentVersion.flatMap { $0 == savedCurrentVersion ? nil : $0 },
            unclear: disk.unclear?.description,
            basis: MergeBasis(revision: revision, digests: disk.digests))
    }

    /// Takes the merge over. There is nothing to undo afterwards.
    ///
    /// - Parameters:
    ///   - choices: by version and conflict the side to take.
    ///   - kept: versions that the next save writes over what is on disk.
    ///   - basis: what the choices were made for.
    /// - Throws: `MergeOutdated`, `EditError` for a conflict without a choice, `ModelFileError` if a file on disk cannot
    ///   be read; nothing is changed then.
    func merge(
        _ choices: [String: [String: TreeMerge.Side]], keeping kept: Set<String> = [],
        basis: MergeBasis? = nil
    ) throws {
        if !kept.isEmpty { try refuseReadOnly() }
        let disk = DiskState(url, versions)
        if let basis, basis != MergeBasis(revision: revision, digests: disk.digests) { throw MergeOutdated() }
        // Without the versions that are kept it may be unclear what there is.
        let found = kept.isEmpty ? try disk.file.get() : try? disk.file.get()
        let (now, unclear) = found.map { ($0, disk.unclear) } ?? (file, markerProblem)
        var merged: [String: MergedVersion] = [:]
        var gone: Set<String> = []
        for version in versions where disk.isChanged(version) {
            if kept.contains(version.savedName) {
                merged[version.savedName] = .kept(seen: disk.bytes(of: version))
            } else if disk.isRemoved(version) {
                gone.insert(version.savedName)
            } else {
                let own = choices[version.savedName] ?? [:]
                let result = try Self.merge(version, disk, own)
                if let open = result.differences.first(where: { $0.isConflict && own[$0.id] == nil }) {
                    throw EditError("Both sides have changed \(open.location); choose which to take.")
                }
                merged[version.savedName] = result.version
            }
        }
        adopt(merged, gone: gone, now, unclear: unclear) { isUnseen($0, disk) }
    }

    /// Whether a folder is that of a version that the document does not have. What was removed here, and changed or made
    /// the current version by somebody else, is such a one: their work is not thrown away.
    private func isUnseen(_ folder: XcodeModelFile.Version, _ disk: DiskState) -> Bool {
        guard !versions.contains(where: { $0.isOnDisk && $0.savedName == folder.name }) else { return false }
        let isCurrent = disk.currentVersion == folder.name
        return !removed.contains { version in
            version.savedName == folder.name && version.isOnDisk && !disk.isChanged(version)
                && !(isCurrent && savedCurrentVersion != folder.name)
        }
    }

    /// Shows what the files hold now.
    ///
    /// - Throws: `StaleRevision` if there is something that is not saved, `ModelFileError` if a file cannot be read.
    func reload() throws {
        guard !isEdited else { throw StaleRevision() }
        try merge([:])
    }

    private static func merge(
        _ version: DocumentVersion, _ disk: DiskState, _ choices: [String: TreeMerge.Side]
    ) throws -> (version: MergedVersion, differences: [TreeMerge.Difference]) {
        guard let bytes = try disk.bytes[version.savedName]?.get() else {
            throw ModelFileError(.unreadable, "there is no such file", file: version.url)
        }
        let theirs = try XcodeModelFile.tree(of: bytes, in: XcodeModelFile.file(of: version.url))
        guard theirs.name == "model" else {
            throw ModelFileError(
                .malformed, "the file holds a <\(theirs.name)> and no <model>", file: version.url)
        }
        let merge = TreeMerge.merge(
            base: version.saved, mine: version.tree, theirs: theirs, choices: choices)
        return (.merged(tree: merge.tree, theirs: theirs, bytes: bytes), merge.differences)
    }
}
