import CoreData
import TestSupport
import Testing

/// A store that Apple's framework made, and the source of its model.
struct StorePair: CustomTestStringConvertible, Sendable {
    let store: URL
    let model: URL

    var testDescription: String { store.lastPathComponent }

    /// The stores of the corpus whose model's source is known.
    static let all: [StorePair] = {
        guard let table = try? Corpus.table("PAIRS_modelcache_source.tsv") else { return [] }
        let stores = Corpus.files(under: "stores")
        return table.compactMap { columns in
            guard columns.count >= 2 else { return nil }
            // modelcache/<repository>/<name of the store>.<digest>.modelcache.bplist
            let parts = columns[0].split(separator: "/")
            let name = parts.last.map { $0.split(separator: ".").dropLast(3).joined(separator: ".") } ?? ""
            guard parts.count == 3,
                let store = stores.first(where: {
                    $0.hasPrefix("stores/\(parts[1])/") && $0.hasSuffix("/\(name)")
                })
            else { return nil }
            return StorePair(store: Corpus.url(store), model: Corpus.url(columns[1]))
        }
    }()
}
