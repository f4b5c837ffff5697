import CocoaFoundation
import Foundation

/// An index in memory, for stores that are in memory themselves. It also defines what others find: it compares the words themselves.
package final class MemorySearchIndex: SearchIndex, @unchecked Sendable {
    fileprivate struct Entry: Sendable {
        let document: SearchDocument
        let kind: Int32
    }

    fileprivate struct Collection: Sendable {
        var entries: [Int64: Entry] = [:]
        var keysByWord: [String: Set<Int64>] = [:]
        /// All words in the order of their bytes; nil after a change.
        var words: [String]?
        var wordCount = 0
    }

    fileprivate struct Contents: Sendable {
        var state: SearchIndexState?
        var collections: [Collection] = []
    }

    private let lock = NSLock()
    /// Used with the lock.
    private var contents = Contents()

    package init() {}

    package var isInPlace: Bool { true }
    package var isReadDuringUpdates: Bool { false }

    package func state() -> SearchIndexState? { lock.withLock { contents.state } }

    package func update<Value>(_ body: (any SearchIndexWriter) throws -> Value) throws -> Value {
        try lock.withLock {
            do {
                return try body(Writer(self))
            } catch {
                // What was changed before the error stays; the index is built anew.
                contents.state = nil
                throw error
            }
        }
    }

    package func keys(_ search: IndexedSearch, limit: Int?, offset: Int) -> [Int64] {
        let found = matches(search).map(\.key).sorted().dropFirst(offset)
        return Array(limit.map { found.prefix($0) } ?? found)
    }

    package func count(_ search: IndexedSearch) -> Int { matches(search).count }

    package func ranks(_ search: IndexedSearch) -> [RankedKey] {
        let statistics = statistics(search)
        let rankings = search.query.groups.map { ($0, SearchRanking($0, statistics)) }
        return matches(search).map { key, entry in
            RankedKey(key: key, rank: SearchRanking.rank(of: entry.document, search.scope, rankings))
        }
    }

    package func counts(_ search: IndexedSearch) -> [Int32: Int] {
        matches(search).reduce(into: [:]) { $0[$1.entry.kind, default: 0] += 1 }
    }

    package func statistics(_ search: IndexedSearch) -> SearchStatistics {
        read(search.collection, orElse: SearchStatistics()) { collection in
            var statistics = SearchStatistics()
            statistics.documentCount = collection.entries.count
            statistics.wordCount = collection.wordCount
            for phrase in search.query.phrases {
                statistics.documentCounts[phrase] = collection.keys(mayHave: phrase).count {
                    collection.entries[$0]?.document.contains(phrase, search.scope) ?? false
                }
            }
            return statistics
        }
    }

    package func words(
        beginningWith prefix: String, in collection: Int, ofKinds kinds: Set<Int32>?, limit: Int
    ) -> [IndexedWord] {
        read(collection, orElse: []) { collection in
            let found = collection.mostFrequentWords(beginningWith: prefix).compactMap {
                word -> IndexedWord? in
                let keys = (collection.keysByWord[word] ?? []).filter { key in
                    kinds.map { $0.contains(collection.entries[key]?.kind ?? 0) } ?? true
                }
                return keys.min().map { IndexedWord(key: word, documentCount: keys.count, document: $0) }
            }
            return Array(found.mostFrequentFirst.prefix(limit))
        }
    }

    // MARK: Evaluation

    private func read<Value>(
        _ number: Int, orElse none: Value, _ body: (inout Collection) -> Value
    ) -> Value {
        lock.withLock {
            guard contents.collections.indices.contains(number) else { return none }
            return body(&contents.collections[number])
        }
    }

    private func matches(_ search: IndexedSearch) -> [(key: Int64, entry: Entry)] {
        read(search.collection, orElse: []) { collection in
            var found: Set<Int64> = []
            for group in search.query.groups {
                // Few documents have the rarest of the phrases.
                let candidates = group.required.map { collection.keys(mayHave: $0) }.min {
                    $0.count < $1.count
                }
                for key in candidates ?? [] where !found.contains(key) {
                    guard let entry = collection.entries[key], search.kinds?.contains(entry.kind) ?? true,
                        group.isMet(by: entry.document, search.scope)
                    else { continue }
                    found.insert(key)
                }
            }
            return found.compactMap { key in collection.entries[key].map { (key, $0) } }
        }
    }
}

extension MemorySearchIndex {
    /// Changes the contents of an index, whose lock the caller has.
    private struct Writer: SearchIndexWriter {
        private let index: MemorySearchIndex

        init(_ index: MemorySearchIndex) { self.index = index }

        func state() -> SearchIndexState? { index.contents.state }
        func setState(_ state: SearchIndexState) { index.contents.state = state }

        func reset(fieldCounts: [Int]) {
            index.contents.state = nil
            index.contents.collections = fieldCounts.map { _ in Collection() }
        }

        func set(
            _ texts: [(field: Int, text: String)], for key: Int64, kind: Int32, in collection: Int,
            isNew: Bool
        ) {
            remove(key, from: collection)
            var document = SearchDocument()
            for (field, text) in texts { document.setText(text, ofField: field) }
            guard !document.isEmpty else { return }
            index.contents.collections[collection].insert(Entry(document: document, kind: kind), key)
        }

        func remove(_ key: Int64, from collection: Int) { index.contents.collections[collection].remove(key) }
    }
}

extension MemorySearchIndex.Collection {
    fileprivate mutating func insert(_ entry: MemorySearchIndex.Entry, _ key: Int64) {
        entries[key] = entry
        wordCount += entry.document.wordCount
        for word in Set(entry.document.fields.values.joined()) {
            if keysByWord[word] == nil { words = nil }
            keysByWord[word, default: []].insert(key)
        }
    }

    fileprivate mutating func remove(_ key: Int64) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        wordCount -= entry.document.wordCount
        for word in Set(entry.document.fields.values.joined()) {
            keysByWord[word]?.remove(key)
            if keysByWord[word]?.isEmpty ?? false {
                keysByWord[word] = nil
                words = nil
            }
        }
    }

    /// The keys of documents among which those with a phrase are.
    fileprivate mutating func keys(mayHave phrase: SearchPhrase) -> Set<Int64> {
        var sets = phrase.words.dropLast().map { keysByWord[$0] ?? [] }
        if let last = phrase.words.last {
            sets.append(
                phrase.isPrefix
                    ? words(beginningWith: last).reduce(into: []) { $0.formUnion(keysByWord[$1] ?? []) }
                    : keysByWord[last] ?? [])
        }
        return sets.min { $0.count < $1.count } ?? []
    }

    /// Those that are examined, in any order.
    fileprivate mutating func mostFrequentWords(beginningWith prefix: String) -> ArraySlice<String> {
        let words = words(beginningWith: prefix)
        guard words.count > IndexedWord.mostExamined else { return words }
        let counted = words.map { (word: $0, count: keysByWord[$0]?.count ?? 0) }
        return counted.sorted { a, b in
            a.count != b.count ? a.count > b.count : a.word.utf8.lexicographicallyPrecedes(b.word.utf8)
        }.prefix(IndexedWord.mostExamined).map(\.word)[...]
    }

    fileprivate mutating func words(beginningWith prefix: String) -> ArraySlice<String> {
        let all = words ?? keysByWord.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        words = all
        let start = all.partitionIndex { !$0.utf8.lexicographicallyPrecedes(prefix.utf8) }
        return all[start...].prefix { $0.beginsWithBytes(of: prefix) }
    }
}

extension Sequence<IndexedWord> {
    /// The words of the most documents first, then by their bytes.
    package var mostFrequentFirst: [IndexedWord] {
        sorted { a, b in
            a.documentCount != b.documentCount
                ? a.documentCount > b.documentCount : a.key.utf8.lexicographicallyPrecedes(b.key.utf8)
        }
    }
}
