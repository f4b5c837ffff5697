import Foundation

/// What is at a path.
package enum FileKind: Equatable, Sendable {
    case missing
    case regular
    case folder
    case link
    /// A device, a pipe or a socket: `name` says which.
    case special(name: String)

    /// What is at the end of a path, be it a symbolic link.
    ///
    /// - Throws: an error of the system, such as that a folder on the way cannot be searched.
    package init(at path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let error = FileError(call: "lstat", path: path, code: errno)
            guard error.isMissing else { throw error }
            self = .missing
            return
        }
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .special(name: "a pipe")
            case S_IFSOCK: .special(name: "a socket")
            default: .special(name: "a device")
            }
    }

    var name: String {
        switch self {
        case .missing: "missing"
        case .regular: "a file"
        case .folder: "a folder"
        case .link: "a symbolic link"
        case .special(let name): name
        }
    }
}

extension URL {
    /// The file itself that a path leads to: symbolic links are followed, also one to a file that is not there yet.
    ///
    /// - Throws: `ELOOP`, or what keeps a link from being read.
    package func followingLinks() throws -> URL {
        var path = path
        for _ in 0..<40 {
            guard try FileKind(at: path) == .link else { return URL(fileURLWithPath: path) }
            let target = try Self.target(ofLink: path)
            path =
                target.hasPrefix("/")
                ? target : URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + target
        }
        throw FileError(call: "open", path: path, code: ELOOP)
    }

    private static func target(ofLink path: String) throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(path, &buffer, Int(PATH_MAX))
        guard count >= 0 else { throw FileError(call: "readlink", path: path, code: errno) }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The file itself that a path leads to, which is a regular one or not there yet.
    ///
    /// - Throws: `EINVAL` for a folder, a device, a pipe or a socket; else as `followingLinks()`.
    package func regularFile() throws -> URL {
        let file = try followingLinks()
        let kind = try FileKind(at: file.path)
        guard kind == .regular || kind == .missing else {
            throw FileError(
                call: "open", path: path, code: EINVAL, reason: "it is \(kind.name), not a regular file")
        }
        return file
    }
}

/// Tells a file from another one that has taken its place.
package struct FileIdentity: Equatable, Sendable {
    private let device: dev_t
    private let number: ino_t

    /// That of the file at a path; nil when there is none, or it cannot be looked at.
    package init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        device = status.st_dev
        number = status.st_ino
    }
}
