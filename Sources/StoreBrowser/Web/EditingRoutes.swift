import Hummingbird
import LocalSite
import StoreTools

/// What changes a store. All of it is refused when the store is open for reading only.
struct EditingRoutes: Sendable {
    private static let largestFile = 64 << 20
    private let editing: StoreEditing

    init(_ store: BrowsedStore) { editing = StoreEditing(store: store) }

    private struct Value: Decodable {
        var id: String
        var key: String
        /// Nil for no value.
        var text: String?
    }

    private struct Link: Decodable {
        var id: String
        var key: String
        var to: String?
        var removing: Bool
    }

    private struct Move: Decodable {
        var id: String
        var key: String
        var member: String
        /// Counted from 0.
        var place: Int
    }

    private struct New: Decodable {
        var entity: String
    }

    private struct Objects: Decodable {
        var ids: [String]
    }

    private struct Nothing: Decodable {}

    private struct Saved: Encodable {
        let state: StoreEditing.State
        let problems: [StoreEditing.Problem]
    }

    func add(to router: Router<LocalRequestContext>) {
        router.get("api/changes") { _, _ in try Response(json: await editing.state()) }
        router.post("api/set") { request, context in
            let value = try await request.json(Value.self, context)
            let reference = try Self.reference(value.id)
            return try await answer { try await editing.set(value.key, to: value.text, of: reference) }
        }
        router.post("api/data") { request, _ in
            let reference = try Self.reference(request.text("id") ?? "")
            let key = request.text("key") ?? ""
            // What is refused anyway is not read.
            return try await answer {
                try editing.checkWritable()
                let data = try await request.data(atMost: Self.largestFile)
                return try await editing.set(key, to: data, of: reference)
            }
        }
        router.post("api/link") { request, context in
            let link = try await request.json(Link.self, context)
            let (reference, other) = (try Self.reference(link.id), try link.to.map(Self.reference))
            return try await answer {
                try await editing.link(link.key, of: reference, to: other, removing: link.removing)
            }
        }
        router.post("api/move") { request, context in
            let move = try await request.json(Move.self, context)
            let (reference, member) = (try Self.reference(move.id), try Self.reference(move.member))
            return try await answer {
                try await editing.move(move.key, of: reference, member, to: move.place)
            }
        }
        router.post("api/add") { request, context in
            let new = try await request.json(New.self, context)
            return try await answer { try await editing.add(new.entity) }
        }
        router.post("api/delete") { request, context in
            let references = try await request.json(Objects.self, context).ids.map(Self.reference)
            return try await answer { try await editing.delete(references) }
        }
        router.post("api/undo") { request, context in
            _ = try await request.json(Nothing.self, context)
            return try await answer { try await editing.undo() }
        }
        router.post("api/redo") { request, context in
            _ = try await request.json(Nothing.self, context)
            return try await answer { try await editing.redo() }
        }
        router.post("api/discard") { request, context in
            _ = try await request.json(Nothing.self, context)
            return try await answer { try await editing.discard() }
        }
        router.post("api/save") { request, context in
            _ = try await request.json(Nothing.self, context)
            return try await answer {
                do {
                    return Saved(state: try await editing.save(), problems: [])
                } catch let error as StoreEditing.Invalid {
                    return Saved(state: await editing.state(), problems: error.problems)
                }
            }
        }
    }

    private static func reference(_ text: String) throws -> ObjectReference {
        guard let reference = ObjectReference(text) else {
            throw SiteError(
                .unprocessableContent, code: "request", "'\(text.prefix(100))' does not name an object.")
        }
        return reference
    }
}
