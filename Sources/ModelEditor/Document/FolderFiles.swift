import DurableFiles
import ModelTools

/// The files of a folder, but for one of them: what Xcode, or a user, has put there besides the model.
struct FolderFiles: Sendable {
    /// How many bytes are kept in memory at most.
    static let maxBytes = 16 << 20

    private var files: [(path: String, bytes: Data)] = []

    init() {}

    /// Reads plain files, those of inner folders included; links are not followed. Files beyond the limit are left out.
    init(in folder: URL, without name: String) {
        var left = Self.maxBytes
        for path in (try? FileManager.default.subpathsOfDirectory(atPath: folder.path))?.sorted() ?? [] {
            let file = folder.appendingPathComponent(path)
            guard path != name, let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
                attributes[.type] as? FileAttributeType == .typeRegular,
                let size = (attributes[.size] as? NSNumber)?.intValue, size <= left,
                let bytes = try? Data(contentsOf: file), bytes.count <= left
            else { continue }
            left -= bytes.count
            files.append((path, bytes))
        }
    }

    /// Writes the files into a folder. What is there by now stays.
    ///
    /// - Throws: an error of the system.
    func write(to folder: URL) throws {
        for (path, bytes) in files {
            let file = folder.appendingPathComponent(path)
            guard !FileManager.default.fileExists(atPath: file.path) else { continue }
            try DurableFile.makeFolder(file.deletingLastPathComponent())
            try DurableFile.write(bytes, to: file)
        }
    }
}
