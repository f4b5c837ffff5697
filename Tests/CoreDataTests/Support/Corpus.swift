import CoreData
import Testing

/// The collection of files that Apple's tools wrote, which is not part of the project.
///
/// It lies where `OPENCOREDATA_CORPUS` says, or beside the package. Without it the tests that need it are
/// skipped.
enum Corpus {
    static let missing = "no corpus: set OPENCOREDATA_CORPUS to its folder"

    static let root: URL? = {
        let named = ProcessInfo.processInfo.environment["OPENCOREDATA_CORPUS"]
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url =
            named.map { URL(fileURLWithPath: $0) }
            ?? package.appendingPathComponent("../shared/corpus").standardizedFileURL
        let index = url.appendingPathComponent("INDEX.tsv").path
        return FileManager.default.fileExists(atPath: index) ? url : nil
    }()

    static var isPresent: Bool { root != nil }

    /// A store that Apple's framework made, and the source of its model.
    struct Pair: CustomTestStringConvertible, Sendable {
        let store: URL
        let model: URL

        var testDescription: String { store.lastPathComponent }
    }

    /// The stores whose model's source is known.
    static let pairs: [Pair] = {
        guard let root,
            let table = try? String(
                contentsOf: root.appendingPathComponent("PAIRS_modelcache_source.tsv"), encoding: .utf8)
        else { return [] }
        let stores = files(under: "stores")
        return table.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: "\t").map(String.init)
            guard columns.count >= 2 else { return nil }
            // modelcache/<repository>/<name of the store>.<digest>.modelcache.bplist
            let parts = columns[0].split(separator: "/")
            let name = parts.last.map { $0.split(separator: ".").dropLast(3).joined(separator: ".") } ?? ""
            guard parts.count == 3,
                let store = stores.first(where: {
                    $0.hasPrefix("stores/\(parts[1])/") && $0.hasSuffix("/\(name)")
                })
            else { return nil }
            return Pair(
                store: root.appendingPathComponent(store), model: root.appendingPathComponent(columns[1]))
        }
    }()

    private static func files(under folder: String) -> [String] {
        guard let root,
            let walk = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
        else { return [] }
        return walk.compactMap { $0 as? String }.sorted().map { "\(folder)/\($0)" }
    }
}
