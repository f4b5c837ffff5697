import CoreData
import Hummingbird
import LocalSite
import StoreTools

/// What shows a store.
struct ReadingRoutes: Sendable {
    private let store: BrowsedStore

    init(_ store: BrowsedStore) { self.store = store }

    private struct Count: Encodable {
        let count: Int
        let statements: [ShownStatement]
    }

    /// What is wrong with a predicate that is being typed.
    private struct Check: Encodable, Sendable {
        var problem: String?
        /// The character where it was noticed, counted from 1.
        var column: Int?
    }

    func add(to router: Router<LocalRequestContext>) {
        router.get("api/store") { _, _ in try Response(json: StoreShape(store)) }
        router.get("api/rows") { request, _ in
            let query = try request.query()
            let order = request.order()
            return try await answer {
                try await store.precedence.ahead { try await ObjectPage(query, order, of: store) }
            }
        }
        router.get("api/count") { request, _ in
            let query = try request.query()
            return try await answer {
                let found = try await store.reading(for: query.client, yields: true) {
                    context, cancellation in
                    let request = try query.request(NSManagedObject.self, of: store, in: context)
                    return try FetchInspection(request, in: context).count(cancellation)
                }
                return Count(
                    count: found.count,
                    statements: [ShownStatement(found.execution, of: "Number of the objects")])
            }
        }
        router.get("api/check") { request, _ in
            let query = try request.query()
            return try await answer { await store.precedence.ahead { await check(query) } }
        }
        router.get("api/object") { request, _ in
            let reference = try request.reference("id")
            let starts = try request.starts()
            return try await answer {
                try await ObjectDetail(reference, for: request.text("asker"), from: starts, of: store)
            }
        }
        router.get("api/targets") { request, _ in
            let (text, entity) = (request.text("text") ?? "", request.text("entity") ?? "")
            return try await answer {
                try await store.precedence.ahead {
                    try await LinkTargets(text, in: entity, for: request.text("asker"), of: store)
                }
            }
        }
        router.get("api/groups") { request, _ in
            let query = try request.query()
            let key = request.text("by") ?? ""
            let unit = request.text("unit").flatMap(FetchInspection.DateUnit.init(rawValue:))
            return try await answer { try await ValueCounts(of: query, by: key, unit: unit, of: store) }
        }
        router.get("api/history") { request, _ in
            let before = request.text("before").flatMap { Int64($0) }
            return try await answer {
                try await store.precedence.ahead { try await StoreTimeline(before: before, of: store) }
            }
        }
        router.get("api/facts") { _, _ in
            try await answer {
                try await store.precedence.ahead { try await store.reading { _, _ in try StoreFacts(store) } }
            }
        }
    }

    /// Whether a predicate can be read, and executed by the store.
    private func check(_ query: ObjectQuery) async -> Check {
        do {
            try await store.reading(for: query.client) { context, _ in
                let request = try query.request(NSManagedObject.self, of: store, in: context)
                _ = try context.explanations(of: request)
            }
            return Check()
        } catch let error as PredicateFormatError {
            return Check(problem: error.reason, column: error.column)
        } catch {
            return Check(
                problem: (error as? any LocalizedError)?.errorDescription ?? error.localizedDescription)
        }
    }
}

extension Request {
    func text(_ name: String) -> String? { uri.queryParameters[Substring(name)].map(String.init) }

    /// - Throws: `SiteError` for what names no object.
    func reference(_ name: String) throws -> ObjectReference {
        guard let reference = ObjectReference(text(name) ?? "") else {
            throw SiteError(
                .badRequest, code: "request", "'\(name)' does not name an object; the form is Book/12.")
        }
        return reference
    }

    /// The indexes from which on members of ordered relationships are requested, by the names of these: a JSON object.
    ///
    /// - Throws: `SiteError` for something else.
    func starts() throws -> [String: Int] {
        guard let text = text("starts") else { return [:] }
        guard let starts = try? JSONDecoder().decode([String: Int].self, from: Data(text.utf8)) else {
            throw SiteError(
                .badRequest, code: "request",
                #"'starts' must have positions by relationship, such as {"books":40}."#)
        }
        return starts
    }

    func query() throws -> ObjectQuery {
        var query = ObjectQuery(entity: text("entity") ?? "")
        query.predicate = text("predicate") ?? ""
        query.client = text("asker")
        if let relationship = text("relationship") {
            query.related = (try reference("of"), relationship)
        }
        return query
    }

    func order() -> ObjectPage.Order {
        var order = ObjectPage.Order()
        order.key = text("sort").flatMap { $0.isEmpty ? nil : $0 }
        order.isAscending = text("descending") == nil
        order.after = text("after").flatMap { Int64($0) }
        if let limit = text("limit").flatMap({ Int($0) }) { order.limit = limit }
        return order
    }
}

/// Answers with a value, or says what is wrong.
func answer(_ body: () async throws -> some Encodable) async throws -> Response {
    try await refusing { try Response(json: try await body()) }
}

/// Makes what is wrong into an answer.
func refusing(_ body: () async throws -> Response) async throws -> Response {
    do {
        return try await body()
    } catch let error as BrowsingError {
        let status: HTTPResponse.Status =
            switch error.code {
            case "missing": .notFound
            case "readonly": .forbidden
            case "time": .gatewayTimeout
            case "superseded", "conflict": .conflict
            case "busy": .serviceUnavailable
            default: .unprocessableContent
            }
        throw SiteError(status, code: error.code, field: error.field, error.detail)
    } catch let error as PredicateFormatError {
        throw SiteError(
            .unprocessableContent, code: "predicate", field: "predicate",
            "\(error.reason) (column \(error.column))")
    } catch let error as StoreToolError {
        throw SiteError(.unprocessableContent, code: "store", error.description)
    } catch let error as NSError where error.isMergeConflict {
        throw SiteError(
            .conflict, code: "conflict",
            "Not saved: the same objects have been changed or deleted in the store since they were read."
        )
    } catch let error as NSError where error.domain == NSCocoaErrorDomain {
        throw SiteError(.unprocessableContent, code: "store", error.localizedDescription)
    }
}
