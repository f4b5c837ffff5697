import CoreData
import GRDB
import StoreTools
import TestSupport
import TestVFS

/// Says whether a folder is as the promise has it: a whole state that is allowed, nothing damaged, nothing left over.
final class Oracle {
    private let scenario: Scenario
    /// The state before the first step, and that after each.
    private let states: [Picture]
    /// Whether what others may not read before they may not read after.
    private let isPrivate: Bool
    /// What was found out about folders with the same files.
    private var known: [Key: [String]] = [:]

    private struct Key: Hashable {
        let hash: UInt64
        let allowed: ClosedRange<Int>
    }

    init(_ scenario: Scenario, _ states: [Picture], isPrivate: Bool) {
        self.scenario = scenario
        self.states = states
        self.isPrivate = isPrivate
    }

    var last: Int { states.count - 1 }

    /// The number of a state; nil for one that is none of them.
    func number(of picture: Picture, in allowed: ClosedRange<Int>) -> Int? {
        allowed.last { states.indices.contains($0) && Self.isShown(states[$0], by: picture) }
    }

    /// Whether a picture shows a state. Of a destroyed store an empty file is left, or nothing where there is no room for it.
    private static func isShown(_ state: Picture, by picture: Picture) -> Bool {
        state.stores.allSatisfy { name, lines in
            let shown = picture.stores[name]
            return shown == lines || lines == ["empty"] && shown == ["none"]
        }
    }

    /// As `number(of:in:)`, of objects alone: the metadata of an open store may be set and not saved.
    ///
    /// - Returns: the first and the last state with those objects.
    func numbers(ofObjects picture: Picture, in allowed: ClosedRange<Int>) -> ClosedRange<Int>? {
        let found = allowed.filter { states.indices.contains($0) && states[$0].objects == picture.objects }
        guard let first = found.first, let last = found.last else { return nil }
        return first...last
    }

    /// What is wrong with a folder.
    ///
    /// - Parameter allowed: the numbers of the states that it may be in.
    func complaints(_ folder: URL, allowed: ClosedRange<Int>) -> [String] {
        let key = Key(hash: testvfs_folder_hash(folder.path), allowed: allowed)
        if let found = known[key] { return found }
        let found = look(folder, allowed)
        known[key] = found
        return found
    }

    private func look(_ folder: URL, _ allowed: ClosedRange<Int>) -> [String] {
        var complaints: [String] = []
        do {
            let picture = try Picture(folder, scenario.files)
            if number(of: picture, in: allowed) == nil {
                let near = states[min(allowed.lowerBound, last)]
                let others = states.indices.filter { states[$0] == picture }.map { "state \($0)" }
                let what = others.first ?? "no state"
                complaints.append("\(what) instead of \(allowed):\n      \(picture.difference(from: near))")
            }
            try openMissing(folder, picture)
            for file in scenario.files { complaints += try check(folder, file, picture) }
        } catch {
            complaints.append("it cannot be opened: \(Self.text(error))")
        }
        if let search = scenario.search { complaints += searching(folder, search) }
        return complaints + leftovers(folder)
    }

    /// Opens what is not there, and what is empty since it was destroyed, as the next program would: what a dead one left is
    /// removed then.
    private func openMissing(_ folder: URL, _ picture: Picture) throws {
        for file in scenario.files where [["none"], ["empty"]].contains(picture.stores[file.name]) {
            let model = file.type == .sqlite ? TortureModel.first : TortureModel.document
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let url = folder.appendingPathComponent(file.name)
            umask(0o077)
            defer { umask(0o022) }
            let store = try coordinator.addPersistentStore(type: file.type, at: url, options: file.options)
            try coordinator.remove(store)
        }
    }

    /// Whether the next program finds all by the index that is there, or none, and saves, and finds that, too, in an index that is whole.
    private func searching(_ folder: URL, _ search: Scenario.Search) -> [String] {
        umask(0o077)
        defer { umask(0o022) }
        let stage = Stage(folder, .normal)
        do {
            try stage.open(search.model, options: stage.options([NSPersistentHistoryTrackingKey: true]))
            var complaints = try stage.complaints(of: search)
            try stage.context().change { $0.make("Author", "Saved afterwards") }
            complaints += try stage.complaints(of: search)
            if case .substrings = search {
                try stage.updateIndexes()
                complaints += try stage.substringComplaints(way: .index)
            }
            try stage.close()
            return complaints
                + (try SearchIndexCheck(folder.appendingPathComponent(search.indexName)).faults())
        } catch {
            try? stage.close()
            return ["it cannot be searched: \(Self.text(error))"]
        }
    }

    private func check(_ folder: URL, _ file: Scenario.StoreFile, _ picture: Picture) throws -> [String] {
        let url = folder.appendingPathComponent(file.name)
        let model = file.type == .sqlite ? nil : TortureModel.document
        var complaints = try StoreCheck(url, model: model).findings().filter { $0.code != .noModel }.map {
            "check: \($0.message)"
        }
        guard file.type == .sqlite else { return complaints }
        // One that may write takes its log away again.
        let database = try DatabaseQueue(path: url.path)
        defer { try? database.close() }
        try database.read { database in
            let faults = try String.fetchAll(database, sql: "PRAGMA integrity_check")
            if faults != ["ok"] { complaints.append("integrity: \(faults.joined(separator: "; "))") }
            for (entity, count) in picture.counts[file.name] ?? [:] {
                let rows = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM Z\(entity.uppercased())")
                if rows != count { complaints.append("\(rows ?? 0) rows of \(count) objects of \(entity)") }
            }
        }
        return complaints
    }

    /// What is in the folder that belongs to no store.
    private func leftovers(_ folder: URL) -> [String] {
        var complaints: [String] = []
        var names = Set(scenario.files.map(\.name))
        for file in scenario.files where file.type == .sqlite {
            let support = ".\((file.name as NSString).deletingPathExtension)_SUPPORT"
            names.formUnion([support, support + "/_EXTERNAL_DATA"])
        }
        if let search = scenario.search { names.insert(search.indexName) }
        for path in FileManager.default.enumerator(atPath: folder.path)?.compactMap({ $0 as? String }) ?? [] {
            let parts = path.split(separator: "/")
            let isExternal = parts.count == 3 && UUID(uuidString: String(parts[2])) != nil
            if !names.contains(path), !isExternal || !names.contains(parts.prefix(2).joined(separator: "/")) {
                complaints.append("left over: \(path)")
            }
            let attributes = try? FileManager.default.attributesOfItem(
                atPath: folder.appendingPathComponent(path).path)
            let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
            let isFile = attributes?[.type] as? FileAttributeType == .typeRegular
            if isPrivate, isFile, mode & 0o077 != 0 {
                complaints.append("\(path) can be read by others: \(String(mode, radix: 8))")
            }
        }
        return complaints
    }

    static func text(_ error: any Error) -> String {
        let error = error as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey].map { " (\($0))" } ?? ""
        return "\(error.domain) \(error.code): \(error.localizedDescription)\(cause)"
    }
}
