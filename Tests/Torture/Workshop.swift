import Foundation
import TestVFS

/// The folder in which everything happens; it goes when the work is over.
final class Workshop {
    let url: URL
    private var count = 0

    init() throws {
        let temporary = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        url = temporary.appendingPathComponent("Torture-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A place that was not used before.
    func place(_ name: String) -> URL {
        count += 1
        return url.appendingPathComponent("\(name)-\(count)")
    }

    func makeFolder(_ name: String) throws -> URL {
        let folder = place(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        return folder
    }

    /// A copy of a folder.
    func copy(_ folder: URL, _ name: String) throws -> URL {
        let copy = place(name)
        let code = testvfs_copy_folder(folder.path, copy.path)
        guard code == 0 else {
            throw TortureError("A folder cannot be copied: \(String(cString: strerror(code))).")
        }
        return copy
    }

    /// What a power cut at this moment leaves of the recorded folder.
    func powerCut(_ seed: UInt64, _ remains: Fault.Remains) throws -> URL {
        let folder = try makeFolder("cut")
        let code = testvfs_power_cut(folder.path, seed, Int32(remains.number))
        guard code == 0 else {
            throw TortureError("A folder cannot be made: \(String(cString: strerror(code))).")
        }
        return folder
    }

    func remove(_ folder: URL) { try? FileManager.default.removeItem(at: folder) }
}
