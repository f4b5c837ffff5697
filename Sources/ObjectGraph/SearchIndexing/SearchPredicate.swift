import CocoaFoundation
import Foundation
import FullTextSearch
import ManagedObjectModel
import Synchronization

/// A condition that an object has the words of a query. See `NSPredicate.init(searching:attributes:completesLastWord:)`.
package final class SearchPredicate: NSPredicate, DescribedPredicate {
    /// As it was written.
    package let words: String
    package let query: SearchQuery
    /// The names of the searched attributes; nil for all that are indexed.
    package let attributes: [String]?
    private let known = Mutex<[ObjectIdentifier: SearchedFields]>([:])

    package init(_ words: String, attributes: [String]?, completesLastWord: Bool) {
        self.words = words
        query = SearchQuery(words, completesLastWord: completesLastWord)
        self.attributes = attributes
        super.init(block: { _, _ in false })
    }

    /// The fields of an entity; they keep the entity, so that its address stays its own.
    package func fields(of entity: NSEntityDescription) -> SearchedFields {
        known.withLock { known in
            if let fields = known[ObjectIdentifier(entity)] { return fields }
            let fields = SearchedFields(entity)
            known[ObjectIdentifier(entity)] = fields
            return fields
        }
    }

    /// The numbers of the searched fields.
    package func scope(_ entity: NSEntityDescription) -> FieldScope {
        guard let attributes else { return .all }
        let names = SearchedFields.names(ofHierarchy: entity.rootEntity)
        return .only(Set(attributes.compactMap { names.firstIndex(of: $0) }))
    }

    /// - Throws: 134060 when an entity has nothing to be searched, or one of the attributes is not indexed.
    package func check(_ entity: NSEntityDescription) throws {
        let names = SearchedFields.names(ofHierarchy: entity.rootEntity)
        guard !names.isEmpty else {
            throw NSError.coreData(
                .coreData,
                """
                The entity '\(entity.name ?? "")' cannot be searched: no attribute of it has "Index in Spotlight" \
                (isIndexedBySpotlight), and it has no display name expression of stored attributes.
                """)
        }
        for attribute in attributes ?? [] where !names.contains(attribute) {
            throw NSError.coreData(
                .coreData,
                """
                The attribute '\(attribute)' of entity '\(entity.name ?? "")' cannot be searched: it does not have "Index in \
                Spotlight" (isIndexedBySpotlight), or it is not text.
                """)
        }
    }

    /// Whether an object has the words, with its unsaved values.
    package override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool
    {
        guard let object = object as? NSManagedObject, !query.isEmpty else { return false }
        return query.isMet(by: fields(of: object.entity).document(of: object), scope(object.entity))
    }

    package override func evaluate(with object: Any?) -> Bool {
        evaluate(with: object, substitutionVariables: nil)
    }

    package var text: String {
        let names = attributes.map { " IN {\($0.joined(separator: ", "))}" } ?? ""
        return "SEARCH(\"\(words)\"\(names))"
    }

    package override var predicateFormat: String { text }
    package override var description: String { text }

    package override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SearchPredicate else { return false }
        return query == other.query && attributes == other.attributes
    }

    package override var hash: Int { query.hashValue }

    package override func copy() -> Any { self }
    package override func copy(with zone: NSZone? = nil) -> Any { self }

    package required init?(coder: NSCoder) { nil }
}

extension _PredicateFormatParsing {
    /// Makes a condition that an object has the words that a person searches for, in the attributes with "Index in Spotlight"
    /// (`isIndexedBySpotlight`) and in its display name.
    ///
    /// ```swift
    /// request.predicate = NSPredicate(searching: "schloss -park")
    /// ```
    ///
    /// It can be used in any fetch, alone or as a part of a compound predicate; unsaved changes count. A SQLite store that can
    /// be changed needs its persistent history (`NSPersistentHistoryTrackingKey`). An object of an entity that has nothing to be searched
    /// does not meet it.
    ///
    /// - Parameters:
    ///   - words: what a person has written: words in any case and with or without accents, `"phrases"`, beginnings of words with
    ///     `*`, `OR`, `NOT` or `-`. Any text is valid.
    ///   - attributes: the names of the searched attributes; nil for all that are indexed.
    ///   - completesLastWord: whether the last word may be the beginning of one: for a search while a person types.
    public init(searching words: String, attributes: [String]? = nil, completesLastWord: Bool = false) {
        let predicate = SearchPredicate(words, attributes: attributes, completesLastWord: completesLastWord)
        // `NSPredicate` is the only type that conforms; a subclass of it has no such predicates.
        guard let own = predicate as? Self else {
            fatalError("A search predicate is not a \(Self.self).")
        }
        self = own
    }
}
