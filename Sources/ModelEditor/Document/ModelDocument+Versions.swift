import DurableFiles
import ModelTools

// Versions come, go, and get other names. A new one is written at once; all else is written by the next save.
extension ModelDocument {
    private static let longestName = 200

    /// Adds a version that begins as another one is now. It is written at once.
    ///
    /// - Throws: `EditError`, `DiskChanged` if the files are others than were read, or `ModelFileError` if it cannot be
    ///   written.
    package func addVersion(named name: String, from base: String) throws {
        try refuseReadOnly()
        let tree = try tree(of: base)
        try refuseChangedDisk()
        _ = try readAgain()
        try checkVersionName(name)
        let added = try file.addVersion(named: name, contents: tree)
        clearMarkerProblem()
        versions.append(try DocumentVersion(added, tree, below: url))
        sortVersions()
        revision += 1
    }

    /// Makes a version the one that applications use, once it is saved.
    ///
    /// - Throws: `EditError` if there is none of the name, or if it cannot be read.
    package func setCurrentVersion(_ name: String) throws {
        let version = versions[try index(of: name)]
        try refuseReadOnly()
        guard version.id != currentID else { return }
        note("Change of the current version", version.id, .current(currentID))
        currentID = version.id
    }

    /// Gives a version another name. Its folder gets it with the next save.
    ///
    /// - Throws: `EditError` if there is no version of the name, if it cannot be read, or if it cannot be called so.
    package func renameVersion(_ name: String, to newName: String) throws {
        try refuseReadOnly()
        let index = try index(of: name)
        guard name != newName else { return }
        try refuseSingle()
        try checkVersionName(newName)
        note("Rename of a version", versions[index].id, .name(name))
        versions[index].name = newName
        sortVersions()
    }

    /// Removes a version. Its folder, with all that is in it, is removed by the next save.
    ///
    /// - Parameter next: the version that is the current one afterwards; needed to remove the current one.
    /// - Throws: `EditError` if there is no version of the name, if it cannot be read, if it is the only one that can, or
    ///   the current one and no other is chosen.
    package func removeVersion(_ name: String, makingCurrent next: String? = nil) throws {
        try refuseReadOnly()
        let version = versions[try index(of: name)]
        try refuseSingle()
        guard versions.contains(where: { $0.id != version.id && $0.problem == nil }) else {
            throw EditError("The only version of a model cannot be removed.")
        }
        var current = currentID
        if let next { current = versions[try index(of: next)].id }
        guard current != version.id else {
            throw EditError(
                "'\(name)' is the current version. Make another version the current one first.",
                setting: "current")
        }
        note("Removal of a version", version.id, .presence(true, current: currentID))
        currentID = current
        _ = move(version.id, isThere: false)
    }

    /// Takes a version out, or puts it back.
    ///
    /// - Returns: whether there is such a version.
    func move(_ version: UUID, isThere: Bool) -> Bool {
        if isThere {
            guard let index = removed.firstIndex(where: { $0.id == version }) else { return false }
            var version = removed.remove(at: index)
            // Another one may have been added under its name since.
            let name = freeName(version.name)
            if !version.isOnDisk { version.setFolder(name) }
            version.name = name
            versions.append(version)
            sortVersions()
        } else {
            guard let index = versions.firstIndex(where: { $0.id == version }) else { return false }
            removed.append(versions.remove(at: index))
        }
        return true
    }

    /// A name, with a number if a version has it already.
    func freeName(_ name: String) -> String {
        let taken = Set(versions.map(\.name))
        guard taken.contains(name) else { return name }
        return (2...).lazy.map { "\(name) \($0)" }.first { !taken.contains($0) } ?? name
    }

    /// Orders the versions by their names, as people do: 2 before 10.
    func sortVersions() {
        versions.sort {
            $0.name.compare($1.name, options: [.numeric, .caseInsensitive]) == .orderedAscending
        }
    }

    private func refuseSingle() throws {
        guard url.pathExtension == "xcdatamodeld" else {
            throw EditError("A single .xcdatamodel has no versions; put it into a .xcdatamodeld.")
        }
    }

    private func checkVersionName(_ name: String) throws {
        try ModelEditing.check(name, setting: "name")
        guard !name.isEmpty, !name.hasPrefix("."), !name.contains(where: { $0 == "/" || $0 == "\0" }),
            name.utf8.count <= Self.longestName
        else { throw EditError("A version cannot be called '\(name.prefix(100))'.", setting: "name") }
        guard !versions.contains(where: { $0.name == name }) else {
            throw EditError("There is a version '\(name)' already.", setting: "name")
        }
    }

    // MARK: Folders

    /// Removes and renames folders as the versions were. What says which version is the current one names a folder
    /// that is there, before and after each step.
    ///
    /// - Throws: `DiskChanged`, or `ModelFileError` if something cannot be done; what was done before stays done.
    func saveFolders() throws {
        let isRenaming = versions.contains { $0.name != $0.savedName }
        guard isRenaming || removed.contains(where: \.isOnDisk) else { return }
        let marker = url.appendingPathComponent(CurrentVersionMarker.fileName)
        try writeCurrentVersion()
        let current = versions.first { $0.id == currentID }
        if let current, current.isOnDisk,
            markerProblem != nil || current.savedName != file.currentVersion.name
        {
            try saveCurrentVersion(named: current.savedName)
        } else if file.versions.count > 1, !FileManager.default.fileExists(atPath: marker.path) {
            // Without it, the folder of the current version could not get another name.
            try saveCurrentVersion(named: file.currentVersion.name)
        }
        for index in removed.indices where removed[index].isOnDisk {
            try removed[index].removeFolder()
            revision += 1
        }
        try renameFolders()
        file = try Self.read(url)
    }

    /// Writes the current version if it has no folder, having come back after its removal by somebody here or elsewhere: before the folder goes that is
    /// marked as the current one, there has to be one that can be.
    private func writeCurrentVersion() throws {
        guard let index = versions.firstIndex(where: { $0.id == currentID }), !versions[index].hasFolder
        else {
            return
        }
        let folder = versions[index].savedName
        if (versions + removed).contains(where: { $0.isOnDisk && $0.savedName == folder }) {
            // It steps aside, and gets its name with the others.
            versions[index].setFolder(UUID().uuidString)
        }
        try versions[index].save()
        revision += 1
        file = try readAgain()
    }

    /// Gives folders the names of their versions. A name that another folder still has is waited for; where all wait
    /// for each other, one steps aside.
    private func renameFolders() throws {
        var waiting = versions.indices.filter { versions[$0].name != versions[$0].savedName }
        while let first = waiting.first {
            let free = waiting.first { index in
                !waiting.contains { $0 != index && versions[$0].savedName == versions[index].name }
            }
            guard let free else {
                try moveFolder(first, to: UUID().uuidString)
                continue
            }
            try moveFolder(free, to: versions[free].name)
            waiting.removeAll { $0 == free }
        }
    }

    private func moveFolder(_ index: Int, to name: String) throws {
        let marker = url.appendingPathComponent(CurrentVersionMarker.fileName)
        defer { revision += 1 }
        if versions[index].savedName == file.currentVersion.name,
            FileManager.default.fileExists(atPath: marker.path)
        {
            // What says which version is the current one names a folder that is there, whenever this is ended.
            try versions[index].replaceFolder(named: name) {
                do {
                    try DurableFile.write(
                        CurrentVersionMarker(versionFolderName: "\(name).xcdatamodel").data, to: marker)
                } catch {
                    throw ModelFileError(
                        .unwritable, "it cannot be written: \(error.localizedDescription)", file: marker)
                }
            }
            file = try Self.read(url)
        } else {
            try versions[index].moveFolder(to: name)
        }
    }
}
