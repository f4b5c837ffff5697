import Foundation
import FullTextSearch
import ManagedObjectModel

/// What an index of a store has in it.
package protocol IndexedContents: Sendable {
    /// The entities whose objects are indexed, in the order of their numbers.
    var entities: [StoredEntity] { get }
    /// How many fields each collection has.
    var fieldCounts: [Int] { get }
    /// Differs whenever the index would.
    var signature: String { get }

    /// The collection with the documents of an entity's objects; nil when nothing of them is indexed.
    func collection(_ storedEntity: StoredEntity) -> Int?

    /// The texts of those of some objects of an entity that are in the store, by their keys.
    func texts(
        of references: [Int64], _ storedEntity: StoredEntity, in store: any ObjectStore
    ) throws -> [(key: Int64, texts: [(field: Int, text: String)])]

    /// Logs what the model requests and is not indexed.
    func logIgnored()
}

/// What is indexed of a store for `NSPredicate(searching:)`: a collection of documents for each root entity, since all its objects have
/// keys of one table.
package struct SearchSchema: IndexedContents {
    /// An entity with fields.
    package struct Kind: Sendable {
        package let storedEntity: StoredEntity
        package let collection: Int
        package let fields: SearchedFields
    }

    /// The version of words and fields: indexes of another one are built anew.
    private static let version = 1

    /// In the order of their numbers.
    package let kinds: [Kind]
    /// How many fields each collection has.
    package let fieldCounts: [Int]
    /// Differs whenever the index would.
    package let signature: String
    private let kindByNumber: [Int32: Int]

    package init(_ store: any ObjectStore) {
        var roots: [ObjectIdentifier: Int] = [:]
        var kinds: [Kind] = []
        var fieldCounts: [Int] = []
        var lines = ["\(Self.version)", store.identifier ?? ""]
        for storedEntity in store.storedEntities.sorted(by: { $0.entityNumber < $1.entityNumber }) {
            let entity = storedEntity.entity
            let fields = SearchedFields(entity)
            guard !fields.fields.isEmpty else { continue }
            let root = entity.rootEntity
            let names = SearchedFields.names(ofHierarchy: root)
            let collection = roots[ObjectIdentifier(root)] ?? fieldCounts.count
            if collection == fieldCounts.count {
                roots[ObjectIdentifier(root)] = collection
                fieldCounts.append(names.count)
            }
            kinds.append(Kind(storedEntity: storedEntity, collection: collection, fields: fields))
            let list = fields.fields.map { "\($0.number) \($0.name)" }.joined(separator: ", ")
            // Values may be other ones after a migration.
            lines.append(
                """
                \(storedEntity.entityNumber) \(entity.name ?? "") \(entity.versionHash.base64EncodedString()) \
                \(entity.spotlightExpression.map { "\($0)" } ?? ""): \(list)
                """)
        }
        self.kinds = kinds
        self.fieldCounts = fieldCounts
        signature = lines.joined(separator: "\n")
        kindByNumber = Dictionary(
            uniqueKeysWithValues: kinds.enumerated().map { ($1.storedEntity.entityNumber, $0) })
    }

    /// The kind of an entity's objects; nil when nothing of them is indexed.
    package func kind(_ entityNumber: Int32) -> Kind? { kindByNumber[entityNumber].map { kinds[$0] } }

    package var entities: [StoredEntity] { kinds.map(\.storedEntity) }

    package func collection(_ storedEntity: StoredEntity) -> Int? {
        kind(storedEntity.entityNumber)?.collection
    }

    package func texts(
        of references: [Int64], _ storedEntity: StoredEntity, in store: any ObjectStore
    ) throws -> [(key: Int64, texts: [(field: Int, text: String)])] {
        guard let kind = kind(storedEntity.entityNumber) else { return [] }
        var query = FetchQuery(storedEntity: storedEntity)
        query.includesSubentities = false
        query.references = references
        // Rows with some columns stay out of the store's cache.
        let rows = try store.partialRows(for: query, kind.fields.slots) ?? store.rows(for: query)
        return rows.map { ($0.reference, kind.fields.texts(of: $0)) }
    }

    package func logIgnored() {
        for kind in kinds {
            let entity = kind.storedEntity.entity
            let names = SearchedFields.ignoredNames(entity)
            if !names.isEmpty {
                Log.store.notice(
                    """
                    Of entity '\(entity.name ?? "")' these attributes are not indexed for search, since they are not text that is \
                    stored with the object: \(names.joined(separator: ", ")).
                    """)
            }
            if SearchedFields.ignoresDisplayName(entity) {
                Log.store.notice(
                    """
                    The display name of entity '\(entity.name ?? "")' is not indexed for search: it reads more than stored \
                    attributes of the object.
                    """)
            }
        }
    }

    /// The kinds of an entity's objects.
    func kinds(of entity: NSEntityDescription, includingSubentities: Bool) -> [Kind] {
        kinds.filter { kind in
            includingSubentities
                ? kind.storedEntity.entity.isKindOf(entity: entity) : kind.storedEntity.entity === entity
        }
    }
}
