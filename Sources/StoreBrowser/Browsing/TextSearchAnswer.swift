import CoreData
import StoreTools

/// Objects of all entities that have some words, as a page shows them; or how far the store is indexed, for a page to request the same
/// again.
struct TextSearchAnswer: Encodable, Sendable {
    struct Indexing: Encodable, Sendable {
        let done: Int
        let total: Int
    }

    /// What a page requests.
    struct Question: Sendable {
        /// In bytes. Of a text of many words the first 256 count anyway.
        static let longest = 4_000
        static let mostPerEntity = 20
        /// A person does not look at more.
        static let furthest = 100_000

        let words: String
        var attributes = StoreTextSearch.Attributes.indexed
        /// The name of the only entity whose objects are found; nil for all.
        var entity: String?
        var offset = 0
        /// Who asks; this ends an earlier search of the same asker.
        var client: String?
    }

    /// Whether there is something to be searched.
    let isPossible: Bool
    /// Nil when the search is over.
    var indexing: Indexing?
    /// How many objects were found.
    var count = 0
    var entities: [FoundObjects.Group] = []

    /// How long an answer is waited for. The index keeps what was done by then.
    private static let longestWait = Duration.seconds(1)

    /// - Throws: `BrowsingError` for a question that is too long, or when there is a newer one of the same asker; `StoreToolError` for an
    ///   entity without anything to be searched; an error of the store or of the index.
    init(_ question: Question, of store: BrowsedStore) async throws {
        guard question.words.utf8.count <= Question.longest else {
            throw BrowsingError(
                "What is searched for is longer than \(Question.longest) bytes.", field: "words")
        }
        guard (0...Question.furthest).contains(question.offset) else {
            throw BrowsingError(
                "Only the first \(Question.furthest) objects of an entity can be requested.", field: "offset")
        }
        let group = QueryGroup()
        if let client = question.client { store.running.begin(client, group) }
        defer { if let client = question.client { store.running.end(client, group) } }
        let search = try store.textSearches.search(question.attributes, of: store.source)
        isPossible = search.isPossible
        guard isPossible else { return }
        var request = StoreTextSearch.Request(question.words)
        request.entity = question.entity
        request.offset = question.offset
        request.limit = Question.mostPerEntity
        switch try await Self.state(of: search, request, in: group) {
        case .indexing(let done, let total): indexing = Indexing(done: done, total: total)
        case .found(let found): (count, entities) = (found.count, found.entities)
        }
    }

    /// Searches on the queue of the search, until there is a newer question.
    private static func state(
        of search: StoreTextSearch, _ request: StoreTextSearch.Request, in group: QueryGroup
    ) async throws -> StoreTextSearch.State {
        let cancellation = FetchCancellation()
        group.add(cancellation)
        defer { group.remove(cancellation) }
        do {
            let state = try await withTaskCancellationHandler {
                try await search.context.perform {
                    // Others may have been answered first.
                    let end = ContinuousClock.now + longestWait
                    return try search.find(request, endedBy: cancellation) { _, _ in
                        !group.isCancelled && ContinuousClock.now < end
                    }
                }
            } onCancel: {
                group.cancel()
            }
            try Task.checkCancellation()
            guard !group.isCancelled else { throw BrowsingError.superseded }
            return state
        } catch  where cancellation.isCancelled && FetchCancellation.isError(error) {
            try Task.checkCancellation()
            throw BrowsingError.superseded
        }
    }
}
