import Foundation

/// The folders of tests, in the temporary folder.
///
/// A process that a test ends on purpose cannot remove its folder. Each folder has the number of its process in its name, and the
/// process of the tests removes, when it ends, those of processes that are no more.
enum TestFolders {
    private static let prefix = "CoreDataTests-"
    private static var temporary: URL { FileManager.default.temporaryDirectory }

    private static let removesLeftOnes: Bool = atexit { TestFolders.removeLeftOnes() } == 0

    /// The URL of a folder that is not there yet.
    static func new() -> URL {
        _ = removesLeftOnes
        return temporary.appendingPathComponent("\(prefix)\(getpid())-\(UUID().uuidString)")
    }

    private static func removeLeftOnes() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: temporary.path)) ?? []
        where name.hasPrefix(prefix) {
            guard let process = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }), process > 0,
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            // A test may have taken the right to remove files away.
            let folder = temporary.appendingPathComponent(name)
            chmod(folder.path, 0o700)
            try? FileManager.default.removeItem(at: folder)
        }
    }
}
