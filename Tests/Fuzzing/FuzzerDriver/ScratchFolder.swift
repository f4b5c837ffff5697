import Foundation

/// A folder for the files that a subject has to be given, one at a time. `scripts/fuzz` lets temporary files lie in memory,
/// and removes them.
package final class ScratchFolder {
    package let url: URL

    package init() {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("Fuzzing-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("\(url.path) cannot be made: \(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Makes a file of these contents the only one in the folder.
    package func file(_ name: String, _ contents: Data) throws -> URL {
        let file = url.appendingPathComponent(name)
        for other in try FileManager.default.contentsOfDirectory(atPath: url.path) where other != name {
            try FileManager.default.removeItem(at: url.appendingPathComponent(other))
        }
        try contents.write(to: file)
        return file
    }
}
