import CoreData

extension StoreFolder {
    /// The bytes of all files in the folder and the folders in it, by path.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in FileManager.default.enumerator(atPath: url.path)?.compactMap({ $0 as? String }) ?? [] {
            contents[name] = (try? Data(contentsOf: url.appendingPathComponent(name))) ?? Data()
        }
        return contents
    }

    /// A folder with copies of the files of a store, under the names of this folder's own.
    convenience init(copying store: URL) throws {
        try self.init()
        for suffix in ["", "-wal", "-shm"] {
            let source = store.path + suffix
            guard FileManager.default.fileExists(atPath: source) else { continue }
            try FileManager.default.copyItem(atPath: source, toPath: file.path + suffix)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: file.path + suffix)
        }
        let support = store.deletingLastPathComponent()
            .appendingPathComponent(".\(store.deletingPathExtension().lastPathComponent)_SUPPORT")
        if FileManager.default.fileExists(atPath: support.path) {
            try FileManager.default.copyItem(at: support, to: url.appendingPathComponent(".Store_SUPPORT"))
        }
    }
}
