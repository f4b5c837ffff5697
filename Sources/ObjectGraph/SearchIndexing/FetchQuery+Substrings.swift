import CocoaFoundation
import Foundation
import FullTextSearch
import ManagedObjectModel

extension FetchQuery {
    /// More objects that may meet a condition are not looked up one by one: all rows are read instead.
    package static let mostCandidates = 20_000
    /// More changes since the index was brought up to date are not looked at.
    package static let mostChanges = 10_000

    /// Limits the query to what the trigram index of a store leaves, where it has one for a part of the condition. The condition itself
    /// stays: it decides. `indexNotes` says what was done, and why.
    ///
    /// Nothing is built, waited for or thrown: without help from the index all rows are read.
    mutating func useSubstringIndex(of store: any ObjectStore) {
        guard let predicate, SubstringConditions.areIn(predicate) else { return }
        let conditions = SubstringConditions(predicate, self, in: store)
        guard conditions.query != nil || !conditions.obstacles.isEmpty, let store = store as? any IndexedStore
        else { return }
        indexNotes = conditions.obstacles
        guard let wanted = conditions.query else {
            if !indexNotes.isEmpty { note("All rows are read.") }
            return
        }
        let attributes = conditions.names.sorted().joined(separator: ", ")
        do {
            switch try SubstringLookup(store).candidates(for: wanted, self) {
            case .found(let candidates, let changeCount):
                note(
                    """
                    The trigram index of \(attributes) leaves \(candidates.keys.count) objects; of \(changeCount) changes after \
                    transaction \(candidates.number) the objects are read, too.
                    """)
                self.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [candidates, predicate])
            case .unusable(let reason):
                note("All rows are read, and not the trigram index of \(attributes): \(reason).")
            }
        } catch {
            note(
                "All rows are read, and not the trigram index of \(attributes): \(error.localizedDescription)"
            )
        }
    }

    private mutating func note(_ note: String) {
        indexNotes.append(note)
        Log.sql.debug("\(note)")
    }
}

/// Looks into the trigram index of a store, as it is.
struct SubstringLookup {
    enum Result {
        /// The objects that are left, and how many changes there are since.
        case found(CandidatePredicate, changeCount: Int)
        /// Why the index does not help, as a part of a sentence.
        case unusable(String)
    }

    private let store: any IndexedStore

    init(_ store: any IndexedStore) { self.store = store }

    /// - Throws: an error of the index or the store.
    func candidates(for wanted: SubstringQuery, _ query: FetchQuery) throws -> Result {
        // First what needs no look into the file, and what no option changes: a history would not help a store that is only read.
        guard store.keepsSearchFiles else { return .unusable("the store is in memory or only read") }
        guard store.recordsHistory else {
            return .unusable(
                "it follows the persistent history, which the store does not have (NSPersistentHistoryTrackingKey)"
            )
        }
        let search = try StoreSearch.substrings(of: store)
        var used: StoreSearch.Opened?
        do {
            guard let opened = try search.present() else {
                return .unusable(
                    "there is none yet, which startSearchIndexing() builds, or another program is opening or removing one"
                )
            }
            used = opened
            return try candidates(for: wanted, query, opened)
        } catch let damage as SearchIndexDamage {
            // The next indexing finds the damage and builds another one: a fetch does not wait for one who has the folder's lock.
            search.leave(used, damage)
            return .unusable("it is damaged: \(damage.description)")
        }
    }

    private func candidates(
        for wanted: SubstringQuery, _ query: FetchQuery, _ opened: StoreSearch.Opened
    ) throws -> Result {
        guard let index = opened.index as? any SubstringIndex,
            let schema = opened.contents as? SubstringSchema,
            let collection = schema.collection(query.storedEntity)
        else { return .unusable("it is not of this entity") }
        let found = try index.candidates(
            for: wanted, in: collection, signature: schema.signature, limit: FetchQuery.mostCandidates)
        switch found {
        case .incomplete:
            return .unusable("it is not complete, or not of this model; startSearchIndexing() builds it")
        case .tooMany:
            return .unusable("it leaves more than \(FetchQuery.mostCandidates) objects")
        case .keys(let keys, let position):
            // After the keys, for they may be of rows as they are now.
            let changes = try store.changeCount(
                after: position, limit: FetchQuery.mostChanges, for: query.reader)
            switch changes {
            case .olderGeneration:
                return .unusable("the context reads a query generation before the last transaction")
            case .unknown:
                return .unusable(
                    "the history does not have transaction \(position.number) or all of those after it")
            case .count(let count):
                guard count <= FetchQuery.mostChanges, let time = position.time else {
                    return .unusable(
                        "there were more than \(FetchQuery.mostChanges) changes since it was brought up to date"
                    )
                }
                return .found(
                    CandidatePredicate(keys, afterNumber: position.number, time: time), changeCount: count)
            }
        }
    }
}
