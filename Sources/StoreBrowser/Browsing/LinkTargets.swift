import CoreData
import StoreTools

/// Objects that a relationship could lead to, found by a string that people know them by, or by their number.
struct LinkTargets: Encodable, Sendable {
    private static let most = 8

    /// The first ones, those that are not saved before the others.
    let targets: [ObjectDetail.Link]

    /// - Parameters:
    ///   - entity: the name of the entity that the relationship leads to.
    ///   - text: a part of the text, whatever its case and accents, or a number.
    /// - Throws: `BrowsingError`, an error of the store.
    init(_ text: String, in entity: String, for client: String?, of store: BrowsedStore) async throws {
        let label = try store.entity(named: entity).labelName
        guard text.utf8.count <= ObjectQuery.longestPredicate else {
            throw BrowsingError("The text is longer than \(ObjectQuery.longestPredicate) bytes.")
        }
        var found: [Int64] = []
        if let label, !text.isEmpty {
            found = try await store.reading(for: client) { context, cancellation in
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = Self.condition(label, text)
                return try FetchInspection(request, in: context).page(
                    sortedBy: nil, ascending: true, after: nil, limit: Self.most, cancellation
                ).keys
            }
        }
        if let number = Int64(text), number > 0 { found.insert(number, at: 0) }
        let (keys, context) = (found, store.objects)
        targets = try await context.perform {
            let wanted = try store.entity(named: entity)
            let new = context.insertedObjects.filter { object in
                guard object.entity.isKindOf(entity: wanted), let label, !text.isEmpty else { return false }
                return Self.condition(label, text).evaluate(with: object)
            }
            let stored = keys.compactMap {
                try? store.object(ObjectReference(entity: entity, key: $0), in: context)
            }
            return (new + stored).prefix(Self.most).map {
                ObjectDetail.Link(id: "\($0.reference)", label: $0.shownLabel)
            }
        }
    }

    private static func condition(_ attribute: String, _ text: String) -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: attribute),
            rightExpression: NSExpression(forConstantValue: text), modifier: .direct, type: .contains,
            options: [.caseInsensitive, .diacriticInsensitive])
    }
}
