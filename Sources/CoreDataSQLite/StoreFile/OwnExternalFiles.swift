import ObjectGraph
import DurableFiles
import Foundation
import GRDB

/// The files of external data that belong to one store alone.
///
/// The folder is named after the store's file without its extension, so `Library.sqlite` and `Library.old` share one.
/// While the owner of the files is unclear, none counts as this store's.
struct OwnExternalFiles {
    private let store: SQLiteStoreFile
    /// Nil when the whole folder is this store's.
    private let names: Set<String>?
    private let leftovers: [ExternalFileList]

    private var folder: URL { store.url.externalDataFolder }

    init(of store: SQLiteStoreFile) {
        self.store = store
        guard (try? FileKind(at: store.url.supportFolder.path)) == .folder else {
            if FileManager.default.fileExists(atPath: store.url.supportFolder.path) {
                Self.log(store, "it is not a folder of the store's own")
            }
            (names, leftovers) = ([], [])
            return
        }
        do {
            (names, leftovers) = try Self.find(store)
        } catch {
            Self.log(store, error.localizedDescription)
            (names, leftovers) = ([], [])
        }
    }

    private static func find(_ store: SQLiteStoreFile) throws -> (Set<String>?, [ExternalFileList]) {
        var others: Set<String> = []
        var isShared = false
        for file in store.namesakes() {
            guard let names = try file.externalFiles() else { continue }
            isShared = true
            others.formUnion(names)
        }
        let leftovers = try ExternalFileList.leftovers(in: store.url.externalDataFolder, of: store.url)
        guard isShared else { return (nil, leftovers) }
        let listed = leftovers.reduce(into: Set<String>()) { $0.formUnion($1.names) }
        return (try (store.externalFiles() ?? []).union(listed).subtracting(others), leftovers)
    }

    private static func log(_ store: SQLiteStoreFile, _ reason: String) {
        Log.store.error(
            """
            External data in \(store.url.supportFolder.path) is kept, since it may belong to another store: \
            \(reason)
            """)
    }

    /// Runs a block after which the rows that name the files are gone, and removes the files then.
    ///
    /// - Parameters:
    ///   - kept: files that stay, since other rows name them.
    ///   - isWithoutList: whether they are removed also when the disk has no room for the list that says so to others: if the
    ///     process is killed then, they stay.
    ///   - isGone: whether the rows are gone, although `body` has thrown an error.
    ///   - body: when it throws, the files stay.
    /// - Throws: what `body` throws, or an error of the file system.
    func removing(
        except kept: Set<String> = [], isWithoutList: Bool = false, unless isGone: () -> Bool,
        _ body: () throws -> Void
    ) throws {
        let present = try names ?? filesInFolder()
        let unneeded = present.subtracting(kept)
        guard !unneeded.isEmpty else {
            try body()
            for list in leftovers { list.end() }
            return try removeFolders(isWhole: names == nil && kept.isEmpty)
        }
        let list: ExternalFileList?
        do {
            list = try makeList(of: unneeded)
        } catch let error as FileError where error.isFull && isWithoutList {
            Log.store.warning(
                "\(folder.path) is removed without recording its files first: the disk is full.")
            list = nil
        }
        do {
            try body()
        } catch {
            if isGone() { list?.abandon() } else { list?.end() }
            throw error
        }
        do {
            try ExternalFileList.remove(unneeded, in: folder)
        } catch {
            list?.abandon()
            throw error
        }
        list?.end()
        for list in leftovers { list.end() }
        try removeFolders(isWhole: names == nil && kept.isEmpty)
    }

    private func makeList(of names: Set<String>) throws -> ExternalFileList {
        let list = try ExternalFileList(in: folder, of: store.url, try FileAttributes(of: store.url))
        do {
            try list.add(names.filter { UUID(uuidString: $0) != nil })
        } catch {
            list.end()
            throw error
        }
        return list
    }

    /// The regular files of the folder.
    private func filesInFolder() throws -> Set<String> {
        guard try FileKind(at: folder.path) == .folder else { return [] }
        return Set(
            try DurableFile.names(in: folder).filter {
                try FileKind(at: folder.appendingPathComponent($0).path) == .regular
                    && !ExternalFileList.isList($0)
            })
    }

    private func removeFolders(isWhole: Bool) throws {
        let support = store.url.supportFolder
        guard try FileKind(at: support.path) == .folder else { return }
        if isWhole {
            guard try !DurableFile.removeFolder(support) else { return }
            Log.store.error("\(support.path) stays: there is something in it that is not a regular file.")
        } else {
            for location in [folder, support] { try DurableFile.removeEmptyFolder(location) }
        }
    }
}

extension SQLiteStoreFile {
    /// The files beside this one that, were they stores, would have the same folder.
    fileprivate func namesakes() -> [SQLiteStoreFile] {
        let folder = url.deletingLastPathComponent()
        let files = FileManager.default
        return ((try? files.contentsOfDirectory(atPath: folder.path)) ?? []).sorted().compactMap { name in
            let other = folder.appendingPathComponent(name)
            guard name != url.lastPathComponent,
                other.supportFolder.lastPathComponent == url.supportFolder.lastPathComponent,
                !Self.logSuffixes.contains(where: name.hasSuffix),
                (try? files.attributesOfItem(atPath: other.path))?[.type] as? FileAttributeType
                    == .typeRegular
            else { return nil }
            return SQLiteStoreFile(url: other, options: options)
        }
    }

    /// The names that the rows of the file hold; nil for a file that is not a database.
    ///
    /// - Throws: as `read`.
    fileprivate func externalFiles() throws -> Set<String>? {
        guard FileManager.default.fileExists(atPath: url.path), try exists(toWrite: false) else { return nil }
        do {
            return try read { try ExternalFileNames.all(in: $0) }
        } catch let error as NSError
            where error.userInfo[NSSQLiteErrorDomain] as? NSNumber
            == NSNumber(value: ResultCode.SQLITE_NOTADB.rawValue)
        {
            return nil
        }
    }
}
