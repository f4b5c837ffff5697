import Foundation

/// Whose a file is, and who may do what with it.
package struct FileAttributes: Equatable, Sendable {
    package var mode: mode_t
    package var user: uid_t
    package var group: gid_t

    package init(mode: mode_t, user: uid_t, group: gid_t) {
        self.mode = mode
        self.user = user
        self.group = group
    }

    /// Those of the file that a path leads to; nil when it is missing.
    package init?(of url: URL) throws {
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            let error = FileError(call: "stat", path: url.path, code: errno)
            if error.isMissing { return nil }
            throw error
        }
        self.init(mode: status.st_mode & 0o7777, user: status.st_uid, group: status.st_gid)
    }

    /// Those of a folder for files with these: users who may read a file may search the folder.
    package var ofFolder: FileAttributes {
        var attributes = self
        attributes.mode = mode & 0o666
        attributes.mode |= (mode & 0o444) >> 2
        return attributes
    }

    /// Those of a file beside one with these, which is not a program.
    package var ofData: FileAttributes {
        var attributes = self
        attributes.mode = mode & 0o666
        return attributes
    }

    /// Gives them to an open file. Where the owner cannot be another one, the group is if it can be.
    ///
    /// - Parameter requiresOwner: whether it is an error that the owner or the group cannot be set.
    package func set(_ file: Int32, requiresOwner: Bool = false) throws {
        let calls = FileSystem.calls
        var status = stat()
        guard fstat(file, &status) == 0 else { throw FileError(call: "fstat", code: errno) }
        if status.st_uid != user || status.st_gid != group {
            do {
                try calls.setOwner(file, user, group)
            } catch let error as FileError where error.isRefusal && !requiresOwner {
                // Only root gives files away; a member of the group gives them to it.
                if status.st_gid != group {
                    do {
                        try calls.setOwner(file, uid_t.max, group)
                    } catch let error as FileError where error.isRefusal {}
                }
            }
        }
        // After the owner, whose change takes bits away.
        if status.st_mode & 0o7777 != mode || status.st_uid != user || status.st_gid != group {
            try calls.setMode(file, mode)
        }
    }
}

extension FileAttributes {
    /// Gives them to a file that may be open elsewhere in the process: to open and close a database here would release its locks. What
    /// only the owner of the file or root may change stays as it is.
    package func set(atPath path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw FileError(call: "lstat", path: path, code: errno) }
        if status.st_uid != user || status.st_gid != group { _ = lchown(path, user, group) }
        guard lstat(path, &status) == 0 else { throw FileError(call: "lstat", path: path, code: errno) }
        guard status.st_mode & 0o7777 != mode, chmod(path, mode) != 0 else { return }
        let error = FileError(call: "chmod", path: path, code: errno)
        guard error.isRefusal else { throw error }
    }
}
