/// An index of the words of documents, in collections of which each has its own keys.
///
/// Nothing that uses an index knows how it is kept. All implementations find the same documents in the same order.
/// Methods may be called on any thread, several at once.
package protocol SearchIndex: AnyObject, Sendable {
    /// Whether the index is where the next one to open it finds it: false once its file was removed or replaced.
    var isInPlace: Bool { get }

    /// Whether the index can be read while it is being changed; otherwise who reads it waits.
    var isReadDuringUpdates: Bool { get }

    /// The state of the last committed change; nil for an index that has none, or that of another version.
    func state() throws -> SearchIndexState?

    /// Changes the index in one transaction. No other process or thread changes it meanwhile.
    func update<Value>(_ body: (any SearchIndexWriter) throws -> Value) throws -> Value

    /// The keys of the documents that a search finds, in ascending order.
    ///
    /// - Parameter limit: at most so many, the lowest.
    func keys(_ search: IndexedSearch, limit: Int?, offset: Int) throws -> [Int64]

    /// How many documents a search finds.
    func count(_ search: IndexedSearch) throws -> Int

    /// The documents that a search finds with their ranks (see `SearchRanking`), in any order.
    func ranks(_ search: IndexedSearch) throws -> [RankedKey]

    /// How many documents of each kind a search finds.
    func counts(_ search: IndexedSearch) throws -> [Int32: Int]

    /// What the rank of a document that is not in the index depends on.
    func statistics(_ search: IndexedSearch) throws -> SearchStatistics

    /// The words that begin with some letters, those of the most documents first, with a document that has it. Of the words that begin so,
    /// `IndexedWord.mostExamined` are looked at: those of the most documents of all kinds.
    func words(
        beginningWith prefix: String, in collection: Int, ofKinds kinds: Set<Int32>?, limit: Int
    ) throws -> [IndexedWord]
}

/// Thrown by an index that cannot be read: it is to be removed and built anew.
package struct SearchIndexDamage: Error, CustomStringConvertible {
    /// What is wrong with it, as the end of a sentence.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A query as an index executes it.
package struct IndexedSearch: Sendable {
    package let query: SearchQuery
    package let collection: Int
    package var scope: FieldScope = .all
    /// The kinds of documents; nil for all.
    package var kinds: Set<Int32>?

    package init(
        query: SearchQuery, collection: Int, scope: FieldScope = .all, kinds: Set<Int32>? = nil
    ) {
        self.query = query
        self.collection = collection
        self.scope = scope
        self.kinds = kinds
    }
}

/// A word of an index.
package struct IndexedWord: Hashable, Sendable {
    /// How many words with the same beginning are looked at.
    package static let mostExamined = 1_000

    /// Its canonical form.
    package let key: String
    package let documentCount: Int
    /// The key of the first document that has it.
    package let document: Int64

    package init(key: String, documentCount: Int, document: Int64) {
        self.key = key
        self.documentCount = documentCount
        self.document = document
    }
}

/// Thrown by an index for which there is no room, and that still takes some: it is to be removed, for what it indexes needs it more.
package struct SearchIndexShortage: Error {
    package let cause: any Error

    package init(_ cause: any Error) { self.cause = cause }
}

/// Changes an index; valid during `SearchIndex.update(_:)`.
package protocol SearchIndexWriter {
    func state() throws -> SearchIndexState?
    func setState(_ state: SearchIndexState) throws

    /// Removes all documents, and makes collections with some numbers of fields.
    func reset(fieldCounts: [Int]) throws

    /// Replaces a document; one without words is removed.
    ///
    /// - Parameters:
    ///   - texts: the text of each field that has one.
    ///   - isNew: whether the key is known to have no document yet.
    func set(
        _ texts: [(field: Int, text: String)], for key: Int64, kind: Int32, in collection: Int, isNew: Bool)
        throws

    func remove(_ key: Int64, from collection: Int) throws
}

/// How far an index has come.
package struct SearchIndexState: Hashable, Sendable {
    /// A position in the changes of the indexed store.
    package struct Position: Hashable, Sendable {
        package var number: Int64
        /// When the change at the position was made; nil where that is not known.
        package var time: Double?

        package init(number: Int64, time: Double? = nil) {
            self.number = number
            self.time = time
        }
    }

    /// How far the first indexing of all has come.
    package struct Progress: Hashable, Sendable {
        /// The index of the kind that is being indexed.
        package var kind: Int
        /// The last key of it.
        package var key: Int64

        package init(kind: Int, key: Int64) {
            self.kind = kind
            self.key = key
        }
    }

    /// What is indexed, and how: an index with another signature is built anew.
    package var signature: String
    /// All changes up to here are in the index.
    package var position: Position
    /// Tells this build of the index from those before and after it.
    package var build: Int64
    /// Nil once all has been indexed.
    package var progress: Progress?

    package init(signature: String, position: Position, build: Int64, progress: Progress?) {
        self.signature = signature
        self.position = position
        self.build = build
        self.progress = progress
    }
}
