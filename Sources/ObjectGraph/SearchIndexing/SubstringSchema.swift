import Foundation
import FullTextSearch
import ManagedObjectModel

/// What is indexed of a store for conditions such as `CONTAINS`: the strings of the attributes with a trigram index, in a collection for
/// each root entity.
package struct SubstringSchema: IndexedContents {
    /// The name of the index. No name of a client's has its first character.
    package static let indexName = "\u{0}trigrams"

    /// An entity with such attributes.
    private struct Kind: Sendable {
        let storedEntity: StoredEntity
        let collection: Int
        /// The number of each attribute among those of the hierarchy, and its slot.
        let fields: [(number: Int, slot: PropertySlot)]
    }

    /// The version of the fields: indexes of another one are built anew.
    private static let version = 1

    package let fieldCounts: [Int]
    package let signature: String
    private let kinds: [Kind]
    private let kindByNumber: [Int32: Int]

    package init(_ store: any ObjectStore) {
        var roots: [ObjectIdentifier: Int] = [:]
        var kinds: [Kind] = []
        var fieldCounts: [Int] = []
        var lines = ["\(Self.version) \(SubstringForm.version)", store.identifier ?? ""]
        for storedEntity in store.storedEntities.sorted(by: { $0.entityNumber < $1.entityNumber }) {
            let entity = storedEntity.entity
            let names = Self.names(ofHierarchy: entity.rootEntity)
            let fields = storedEntity.layout.slots.filter(\.hasTrigramIndex).compactMap { slot in
                names.firstIndex(of: slot.name).map { (number: $0, slot: slot) }
            }
            // Whatever was migrated by code may have other values, also those of entities that are as they were.
            let list = fields.map { "\($0.number) \($0.slot.name)" }.joined(separator: ", ")
            lines.append(
                """
                \(storedEntity.entityNumber) \(entity.name ?? "") \(entity.versionHash.base64EncodedString()): \(list)
                """)
            guard !fields.isEmpty else { continue }
            let root = ObjectIdentifier(entity.rootEntity)
            let collection = roots[root] ?? fieldCounts.count
            if collection == fieldCounts.count {
                roots[root] = collection
                fieldCounts.append(names.count)
            }
            kinds.append(Kind(storedEntity: storedEntity, collection: collection, fields: fields))
        }
        self.kinds = kinds
        self.fieldCounts = fieldCounts
        signature = lines.joined(separator: "\n")
        kindByNumber = Dictionary(
            uniqueKeysWithValues: kinds.enumerated().map { ($1.storedEntity.entityNumber, $0) })
    }

    /// The attributes of all entities of a hierarchy, in the order of their numbers.
    package static func names(ofHierarchy root: NSEntityDescription) -> [String] {
        var names: Set<String> = []
        var rest = [root]
        while let entity = rest.popLast() {
            rest += entity.subentities
            for slot in EntityLayout.layout(of: entity).slots where slot.hasTrigramIndex {
                names.insert(slot.name)
            }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    package var entities: [StoredEntity] { kinds.map(\.storedEntity) }

    package func collection(_ storedEntity: StoredEntity) -> Int? { kind(storedEntity)?.collection }

    private func kind(_ storedEntity: StoredEntity) -> Kind? {
        kindByNumber[storedEntity.entityNumber].map { kinds[$0] }
    }

    package func texts(
        of references: [Int64], _ storedEntity: StoredEntity, in store: any ObjectStore
    ) throws -> [(key: Int64, texts: [(field: Int, text: String)])] {
        guard let kind = kind(storedEntity) else { return [] }
        var query = FetchQuery(storedEntity: storedEntity)
        query.includesSubentities = false
        query.references = references
        var slots = PropertySet()
        for (_, slot) in kind.fields {
            if let index = storedEntity.layout.index(of: slot.name) { slots.insert(index) }
        }
        // Rows with some columns stay out of the store's cache.
        let rows = try store.partialRows(for: query, slots) ?? store.rows(for: query)
        return rows.map { row in
            let texts = kind.fields.compactMap { number, slot -> (field: Int, text: String)? in
                row.isNull(slot.rowSlot) ? nil : (number, row.string(slot.rowSlot))
            }
            return (row.reference, texts)
        }
    }

    package func logIgnored() {
        for kind in kinds {
            let names = kind.storedEntity.layout.slots.filter {
                $0.requestsTrigramIndex && !$0.hasTrigramIndex
            }.map(\.name)
            guard !names.isEmpty else { continue }
            Log.store.notice(
                """
                Of entity '\(kind.storedEntity.entity.name ?? "")' these have no trigram index, since they are not strings that are \
                stored with the object: \(names.joined(separator: ", ")).
                """)
        }
    }
}

extension PropertySlot {
    /// The key in the user info of an attribute that requests the index.
    package static let trigramIndexKey = "OpenCoreDataTrigramIndex"

    /// Whether the model requests an index of the trigrams of the property's strings: by true, 1 or "YES".
    fileprivate var requestsTrigramIndex: Bool {
        switch property.userInfo?[Self.trigramIndexKey] {
        case let text as String: ["yes", "true", "1"].contains(text.lowercased())
        case let isOn as Bool: isOn
        case let number as NSNumber: number.boolValue
        case let number as Int: number != 0
        default: false
        }
    }

    /// Whether the strings of the property have an index of their trigrams.
    package var hasTrigramIndex: Bool {
        kind == .string && requestsTrigramIndex && SearchedFields.hasWords(self)
    }
}

extension StoreSearch {
    /// The index of the trigrams of a store.
    ///
    /// - Throws: as `of(_:named:for:_:)`.
    package static func substrings(of store: any ObjectStore) throws -> StoreSearch {
        try of(store, named: SubstringSchema.indexName) { SubstringSchema($0) }
    }
}
