import Foundation

/// The locks that this process has on files, as the system lists them.
package enum ProcessLocks {
    /// Whether the system has such a list.
    package static let areListed = FileManager.default.fileExists(atPath: "/proc/locks")

    /// The locks on a file, each as its kind and the bytes it is on, sorted.
    ///
    /// - Throws: an error when there is no such file or no list.
    package static func on(_ file: URL) throws -> [String] {
        var status = stat()
        guard stat(file.path, &status) == 0 else { throw CocoaError(.fileReadNoSuchFile) }
        let list = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        // 1: POSIX  ADVISORY  READ 4711 08:01:131076 1073741826 1073742335
        return list.split(separator: "\n").compactMap { line -> String? in
            let fields = line.split(separator: " ")
            guard fields.count == 8, fields[4] == "\(getpid())",
                fields[5].split(separator: ":").last.flatMap({ UInt64($0) }) == UInt64(status.st_ino)
            else { return nil }
            return "\(fields[3]) \(fields[6])-\(fields[7])"
        }.sorted()
    }
}
