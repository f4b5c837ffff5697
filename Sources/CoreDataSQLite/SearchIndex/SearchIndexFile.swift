import DurableFiles
import FullTextSearch
import Foundation
import GRDB
import ObjectGraph

/// The file of the index beside a store: its words are the store's, so that who may read the one may read the other.
struct SearchIndexFile {
    /// What is appended to the name of the store.
    static let suffix = "-search"

    let url: URL
    private let store: URL

    /// The file beside that of a store, which is not a link.
    init(of store: URL) {
        self.store = store
        url = URL(fileURLWithPath: store.path + Self.suffix)
    }

    /// Removes the index of the store at a URL, if it has one.
    static func remove(beside store: URL) throws {
        guard store.isFileURL, !store.isNullDevice else { return }
        try SearchIndexFile(of: store.followingLinks()).remove()
    }

    /// Opens the index, or makes an empty one. What is not an index is removed.
    ///
    /// - Throws: 134080 when a folder, a link or a device has the name; an error of SQLite or of the file system.
    func open() throws -> SQLiteSearchIndex {
        try prepare()
        do {
            return try SQLiteSearchIndex(at: url)
        } catch let damage as SearchIndexDamage {
            Log.store.warning("The search index at \(url.path) is built anew: \(damage).")
            try remove()
            try prepare()
            return try SQLiteSearchIndex(at: url)
        }
    }

    /// Removes the index; nothing is lost with it.
    func remove() throws {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let path = url.path + suffix
            // What is not a file is another one's.
            guard try FileKind(at: path) == .regular else { continue }
            try DurableFile.remove(URL(fileURLWithPath: path))
        }
    }

    /// Sees to it that there is a file, with the mode and the owner of the store.
    private func prepare() throws {
        let attributes = try FileAttributes(of: store)?.ofData
        switch try FileKind(at: url.path) {
        case .regular:
            if let attributes, try FileAttributes(of: url) != attributes {
                try attributes.set(atPath: url.path)
            }
        case .missing:
            do {
                let file = try OpenFile.making(url)
                defer { file.close() }
                if let attributes { try file.set(attributes) }
            } catch let error as FileError where error.code == EEXIST {
                // Another process was quicker.
            }
        case .folder, .link, .special: throw refusal(url.path)
        }
    }

    private func refusal(_ path: String) -> NSError {
        .coreData(
            .persistentStoreOpen, "There is no room for a search index: what is at \(path) is not a file.",
            [NSFilePathErrorKey: path])
    }
}
