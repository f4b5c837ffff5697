import Foundation

/// A file whose name stands in a store: it is read only if it is a plain file, so that a store which was tampered with
/// cannot have another file, a device or a pipe read in its place.
package enum RegularFile {
    /// The bytes of a file.
    ///
    /// - Throws: as `open(at:)`.
    static func data(at path: String) throws -> Data { try open(at: path).handle.readToEnd() ?? Data() }

    /// Opens a file for reading. What takes its name afterwards is not what is read.
    ///
    /// - Returns: the file, which is closed with its handle, and how many bytes it has now.
    /// - Throws: 260 of `NSCocoaErrorDomain` when there is none; else the error of the system: `ELOOP` for a symbolic link,
    ///   `EINVAL` for what is no plain file.
    package static func open(at path: String) throws -> (handle: FileHandle, length: Int) {
        // A pipe without a writer would make opening wait.
        let descriptor = openat(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw error(errno, path) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw error(errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw error(EINVAL, path) }
        return (handle, Int(status.st_size))
    }

    private static func error(_ code: Int32, _ path: String) -> NSError {
        code == ENOENT
            ? CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path]) as NSError
            : NSError(domain: NSPOSIXErrorDomain, code: Int(code), userInfo: [NSFilePathErrorKey: path])
    }
}
