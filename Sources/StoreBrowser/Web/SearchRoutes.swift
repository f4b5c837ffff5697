import Hummingbird
import LocalSite
import StoreTools

/// What finds objects of all entities by words.
struct SearchRoutes: Sendable {
    private let store: BrowsedStore

    init(_ store: BrowsedStore) { self.store = store }

    func add(to router: Router<LocalRequestContext>) {
        router.get("api/search") { request, _ in
            let question = request.textSearch()
            return try await answer { try await TextSearchAnswer(question, of: store) }
        }
    }
}

extension Request {
    fileprivate func textSearch() -> TextSearchAnswer.Question {
        var question = TextSearchAnswer.Question(words: text("words") ?? "")
        if text("all") != nil { question.attributes = .all }
        question.entity = text("entity")
        question.offset = text("offset").map { Int($0) ?? -1 } ?? 0
        question.client = text("asker")
        return question
    }
}
