import ObjectGraph
import DurableFiles
import Foundation

/// Which files of external data a process makes, or stops using, while the rows that say so are not durable.
///
/// The list is a file beside them. It is on the disk before the first of the files changes, is held under `flock`, and goes when
/// rows and files agree. When the process was killed, what is left of it lists files that may be unused: those that no row
/// names, and that are in no such list, may be the files of Apple's framework, and stay.
///
/// Not thread-safe.
final class ExternalFileList {
    private static let suffix = ".changes"

    let folder: URL
    private let heldPath: HeldPath
    private var isSynced = false
    /// The names in it.
    private(set) var names: Set<String> = []

    private init(_ folder: URL, _ heldPath: HeldPath) {
        self.folder = folder
        self.heldPath = heldPath
    }

    /// Makes an empty list.
    ///
    /// - Parameters:
    ///   - folder: the folder of external data; it is made if it is not there.
    ///   - store: the file of the store.
    ///   - attributes: those of the store's file, which the files beside it get; nil for the process's.
    convenience init(in folder: URL, of store: URL, _ attributes: FileAttributes?) throws {
        try DurableFile.makeFolder(folder, attributes: attributes?.ofFolder)
        let heldPath = try HeldPath.makeFile {
            folder.appendingPathComponent("." + $0 + Self.suffix).path
        }
        self.init(folder, heldPath)
        do {
            if let attributes { try heldPath.set(attributes.ofData) }
            try heldPath.append(Data((Self.mark(of: store) + "\n").utf8))
        } catch {
            end()
            throw error
        }
    }

    /// What says whose a list is: stores whose names differ in the extension alone have one folder.
    private static func mark(of store: URL) -> String {
        store.lastPathComponent.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// Notes names. When this returns, that outlives a power cut.
    func add(_ names: some Sequence<String>) throws {
        let new = Set(names).subtracting(self.names)
        guard !new.isEmpty else { return }
        try heldPath.append(Data(new.sorted().map { $0 + "\n" }.joined().utf8))
        try heldPath.sync()
        self.names.formUnion(new)
        guard !isSynced else { return }
        try DurableFile.syncFolder(folder)
        isSynced = true
    }

    /// Rows and files agree: the list goes.
    func end() {
        do {
            try DurableFile.remove(URL(fileURLWithPath: heldPath.path))
        } catch {
            Log.store.error("Could not remove \(heldPath.path): \(error.localizedDescription)")
        }
        heldPath.release()
    }

    /// Leaves the list to the next opening of the store.
    func abandon() { heldPath.release() }

    /// Removes files of the list, and sees to it that they are gone before the list is.
    func remove(_ unneeded: some Sequence<String>) throws { try Self.remove(unneeded, in: folder) }

    /// Removes files of external data, and sees to it that they are gone when this returns.
    static func remove(_ unneeded: some Sequence<String>, in folder: URL) throws {
        var isChanged = false
        for name in unneeded {
            if try DurableFile.remove(file: name, in: folder) { isChanged = true }
        }
        if isChanged { try DurableFile.syncFolder(folder) }
    }

    // MARK: Leftovers

    /// The lists that dead processes have left of changes to a store's files.
    static func leftovers(in folder: URL, of store: URL) throws -> [ExternalFileList] {
        guard (try? FileManager.default.attributesOfItem(atPath: folder.path)) != nil else { return [] }
        var lists: [ExternalFileList] = []
        for name in try DurableFile.names(in: folder) where isList(name) {
            let path = folder.appendingPathComponent(name).path
            guard let heldPath = try HeldPath.takeLeftover(path, isFolder: false) else { continue }
            let lines = String(decoding: try RegularFile.data(at: path), as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            // A maker that came as far as this alone has changed nothing. After a power cut, what was written later may be there
            // without what was written before.
            let isUnmarked = lines.count < 2 || lines[0].utf8.contains(0)
            guard isUnmarked || lines[0] == mark(of: store) else { continue }
            let list = ExternalFileList(folder, heldPath)
            guard !isUnmarked else {
                lists.append(list)
                continue
            }
            // The last line may not be whole; what is not whole was not made.
            list.names = Set(lines.dropFirst().filter { $0.utf8.count == 36 && UUID(uuidString: $0) != nil })
            lists.append(list)
        }
        return lists
    }

    /// Whether a name is that of a list.
    static func isList(_ name: String) -> Bool {
        name.hasPrefix(".") && name.hasSuffix(suffix)
            && UUID(uuidString: String(name.dropFirst().dropLast(suffix.count))) != nil
    }
}

extension DurableFile {
    /// Removes a regular file; a link is not followed.
    ///
    /// - Returns: false when there is no regular file of the name.
    static func remove(file name: String, in folder: URL) throws -> Bool {
        let url = folder.appendingPathComponent(name)
        guard try FileKind(at: url.path) == .regular else { return false }
        return try remove(url)
    }
}
