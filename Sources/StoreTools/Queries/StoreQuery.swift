import CoreDataSQL
import CoreData

/// A query for the objects of an entity, its subentities included.
package struct StoreQuery {
    private let source: OpenStore
    private let entity: SQLEntity
    private let predicate: NSPredicate?
    private let sorting: [NSSortDescriptor]
    /// The properties that are returned, by name or in the requested order.
    package let fields: [String]
    private let fieldNames: [String]?

    /// An object and its values by the names of properties.
    package typealias Match = (reference: ObjectReference, values: [String: JSONValue])

    /// - Parameters:
    ///   - entity: the name of an entity.
    ///   - predicate: a predicate in Apple's language.
    ///   - sorting: key paths; `:desc` after one reverses the order.
    ///   - properties: which properties are returned; nil for all.
    /// - Throws: an error for an unknown name, or a predicate that cannot be read, with the position.
    package init(
        _ source: OpenStore, entity name: String, predicate: String? = nil, sorting: [String] = [],
        properties: [String]? = nil
    ) throws {
        self.source = source
        entity = try source.entity(named: name)
        self.predicate = try predicate.map { try NSPredicate(parsing: $0) }
        self.sorting = try sorting.map(Self.descriptor)
        fieldNames = properties
        let slots = entity.storedEntity.layout.slots
        for property in properties ?? [] {
            guard slots.contains(where: { $0.name == property && $0.isStored }) else {
                throw StoreToolError("Entity '\(name)' has no stored property named '\(property)'.")
            }
        }
        fields =
            properties
            ?? slots.filter { $0.isStored && $0.kind != .undefined }.map(\.name)
            .sorted { $0.utf8Precedes($1) }
    }

    private static func descriptor(_ text: String) throws -> NSSortDescriptor {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let key = parts.first, !key.isEmpty else {
            throw StoreToolError("'\(text)' is not an order: it takes a key, such as title or title:desc.")
        }
        guard parts.count == 1 || ["asc", "desc"].contains(parts[1]) else {
            throw StoreToolError("'\(parts[1])' is not a direction: it is asc or desc.")
        }
        return NSSortDescriptor(key: String(key), ascending: parts.count == 1 || parts[1] == "asc")
    }

    /// Whether a property is a to-many relationship.
    package func isList(_ field: String) -> Bool {
        entity.storedEntity.layout.index(of: field).map {
            entity.storedEntity.layout.slots[$0].kind == .toMany
        } ?? false
    }

    private func request<Result>(_ type: Result.Type, limit: Int?) -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: entity.name)
        request.predicate = predicate
        request.sortDescriptors = sorting.isEmpty ? nil : sorting
        request.fetchLimit = limit ?? 0
        return request
    }

    private func fetch<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = source.coordinator
        return try context.performAndWait { try body(context) }
    }

    /// How many objects there are.
    ///
    /// - Throws: an error for what of the predicate the store cannot answer.
    package func count(limit: Int? = nil) throws -> Int {
        try fetch { try $0.count(for: request(NSManagedObject.self, limit: limit)) }
    }

    /// Hands out the objects in batches, in the requested order, else in that of their keys.
    ///
    /// - Throws: as `count()`, or what `body` throws; an error for a value that is not of its column's type, which would
    ///   be returned as another one.
    package func forEachBatch(limit: Int? = nil, _ body: ([Match]) throws -> Void) throws {
        let keys = try fetch { context in
            let request = request(NSManagedObjectID.self, limit: limit)
            request.resultType = .managedObjectIDResultType
            if sorting.isEmpty {
                request.sortDescriptors = [NSSortDescriptor(key: "self", ascending: true)]
            }
            return try context.fetch(request).map(\.reference)
        }
        try source.store.withContents { contents in
            let values = ObjectValues(contents.snapshot, isBrief: false)
            let shownFields = values.fields(of: entity).filter { fieldNames?.contains($0.name) ?? true }
            for start in stride(from: 0, to: keys.count, by: 256) {
                let batch = Array(keys[start..<min(start + 256, keys.count)])
                for number in entity.familyNumbers {
                    guard let subentity = contents.schema.entity(number) else { continue }
                    try contents.requireNoMistypedValues(of: subentity, keys: batch, properties: Set(fields))
                }
                // Those that others have deleted meanwhile are left out.
                let rows = Dictionary(
                    try contents.snapshot.rows(of: entity, references: batch).map { ($0.reference, $0) },
                    uniquingKeysWith: { first, _ in first })
                let found = batch.compactMap { rows[$0] }
                var matches: [Match] = []
                var size = 0
                try values.forEach(found, of: entity, shownFields) { row, object in
                    matches.append((values.reference(row, entity), object))
                    size += row.cost + object.values.reduce(0) { $0 + $1.textLength }
                    if size > 4 << 20 {
                        try body(matches)
                        matches.removeAll()
                        size = 0
                    }
                }
                if !matches.isEmpty { try body(matches) }
            }
        }
    }
}
