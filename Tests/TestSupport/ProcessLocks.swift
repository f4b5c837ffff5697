import Foundation

/// The locks that this process has on files, as the system lists them for each open descriptor.
///
/// `/proc/locks`, the list of all processes, is read piece by piece: while others take and give locks back, lines are left out.
package enum ProcessLocks {
    /// Whether the system has such lists: a lock of a file of this process's own is in them.
    package static let areListed: Bool = {
        let path = FileManager.default.temporaryDirectory.path + "/Lock-\(UUID().uuidString)"
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer {
            close(descriptor)
            unlink(path)
        }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_len = 1
        guard fcntl(descriptor, F_SETLK, &lock) == 0 else { return false }
        return (try? on(URL(fileURLWithPath: path))) == ["WRITE 0-0"]
    }()

    /// The locks on a file, each as its kind and the bytes it is on, sorted.
    ///
    /// - Throws: an error when there is no such file or no list.
    package static func on(_ file: URL) throws -> [String] {
        var wanted = stat()
        guard stat(file.path, &wanted) == 0 else { throw CocoaError(.fileReadNoSuchFile) }
        var locks: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            var status = stat()
            guard let descriptor = Int32(name), fstat(descriptor, &status) == 0,
                status.st_dev == wanted.st_dev, status.st_ino == wanted.st_ino,
                // Other threads close theirs meanwhile.
                let list = try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8)
            else { continue }
            // lock:  1: POSIX  ADVISORY  READ 4711 08:01:131076 1073741826 1073742335
            for line in list.split(separator: "\n") where line.hasPrefix("lock:") {
                let fields = line.split(whereSeparator: \.isWhitespace)
                guard fields.count == 9, fields[2] == "POSIX" else { continue }
                locks.append("\(fields[4]) \(fields[7])-\(fields[8])")
            }
        }
        return locks.sorted()
    }
}
