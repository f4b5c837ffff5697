import Foundation

/// A file whose name is in a store: it is read only if it is a plain file, so that a store which was tampered with
/// cannot have another file, a device or a pipe read instead.
package enum RegularFile {
    /// The bytes of a file.
    ///
    /// - Throws: as `open(at:)`.
    static func data(at path: String) throws -> Data { try open(at: path).contents() }

    /// Opens a file for reading. What takes its name afterwards is not what is read.
    ///
    /// - Throws: 260 of `NSCocoaErrorDomain` when there is no file; else the error of the system: `ELOOP` for a symbolic link,
    ///   `EINVAL` for anything but a regular file.
    package static func open(at path: String) throws -> StoreFileReader {
        // It may be a hard link to the database of a store.
        try StoreFileReader(path, followsLinks: false)
    }
}
