import CocoaFoundation
import Foundation
import FullTextSearch
import ManagedObjectModel

/// The conditions of a predicate on attributes with a trigram index: what the index is asked for, and which of them it does not help.
struct SubstringConditions {
    /// All objects that meet the predicate are found by this, and others; nil where the index says nothing of the whole predicate.
    private(set) var query: SubstringQuery?
    /// The names of the attributes of `query`.
    private(set) var names: Set<String> = []
    /// Of each condition without help from the index the reason.
    private(set) var obstacles: [String] = []

    private let store: any ObjectStore
    private let entity: NSEntityDescription
    private let includesSubentities: Bool
    /// The attributes that are indexed in the hierarchy, when they are first needed.
    private lazy var indexed = SubstringSchema.names(ofHierarchy: entity.rootEntity)

    /// More trigrams in one query take the index longer than they save.
    private static let mostTrigrams = 240

    init(_ predicate: NSPredicate, _ query: FetchQuery, in store: any ObjectStore) {
        self.store = store
        entity = query.storedEntity.entity
        includesSubentities = query.includesSubentities
        let found = self.query(for: predicate)
        guard let found else { return }
        guard found.trigramCount <= Self.mostTrigrams else {
            obstacles.append("there are too many conditions")
            return
        }
        self.query = found
        names = Set(found.fields.map { indexed[$0] })
    }

    /// Whether a predicate has a condition for which there might be an index.
    static func areIn(_ predicate: NSPredicate) -> Bool {
        // What most conditions are takes no list of parts.
        if case .comparison(let comparison) = predicate.shape { return comparison.textOperation != nil }
        var rest = [predicate]
        while let next = rest.popLast() {
            switch next.shape {
            case .comparison(let comparison): if comparison.textOperation != nil { return true }
            case .compound(_, let parts): rest += parts
            case .value, .opaque: break
            }
        }
        return false
    }

    /// What the index is asked for; nil where it does not limit the objects that meet a predicate.
    private mutating func query(for predicate: NSPredicate) -> SubstringQuery? {
        switch predicate.shape {
        case .comparison(let comparison): return query(for: comparison)
        case .compound(.and, _):
            let parts = predicate.chainedParts.compactMap { query(for: $0) }
            return parts.count > 1 ? .all(parts) : parts.first
        case .compound(.or, _):
            let parts = predicate.chainedParts.map { query(for: $0) }
            let found = parts.compactMap(\.self)
            guard found.count == parts.count else {
                if !found.isEmpty { obstacles.append("another part of an OR is not limited by the index") }
                return nil
            }
            return found.count > 1 ? .any(found) : found.first
        case .compound(.not, let parts):
            // Objects that do not meet a condition are found by none of its trigrams.
            for part in parts where query(for: part) != nil {
                obstacles.append("NOT finds what does not have the string")
            }
            return nil
        case .compound, .value, .opaque: return nil
        }
    }

    private mutating func query(for comparison: NSComparisonPredicate) -> SubstringQuery? {
        // Most conditions of fetches end here.
        guard let operation = comparison.textOperation,
            case .keyPath(let start, let name) = comparison.leftExpression.kind,
            case .evaluatedObject = start.kind, let field = field(name)
        else { return nil }
        func obstacle(_ reason: String) -> SubstringQuery? {
            obstacles.append("\(name) \(operation.word)\(comparison.options.letters): \(reason)")
            return nil
        }
        guard comparison.comparisonPredicateModifier == .direct else {
            return obstacle("elements of a collection are compared")
        }
        guard isIndexedInAll(name) else { return obstacle("subentities have no index of it") }
        guard case .constant(let value) = comparison.rightExpression.kind, let pattern = value as? String
        else { return obstacle("the other side is not a string") }
        let options = TextComparison(options: TextOptions(rawValue: comparison.options.rawValue))
        guard !options.options.contains(.localeSensitive) else {
            return obstacle("the locale's rules decide")
        }
        let isPlain = options.folding.isIdentity && !options.options.contains(.wholeWords)
        guard operation != .beginsWith || !isPlain else {
            return obstacle("an ordinary index of the attribute finds what begins so")
        }
        guard let prepared = operation.pattern(pattern, options) else {
            return obstacle("a regular expression decides")
        }
        let trigrams = SubstringForm.trigrams(of: prepared.requiredParts)
        guard !trigrams.isEmpty else {
            return obstacle("the pattern has fewer than three characters in a row")
        }
        return .trigrams(trigrams, field: field)
    }

    /// The number of an attribute of the fetched entity that has the index.
    private mutating func field(_ name: String) -> Int? {
        let layout = EntityLayout.layout(of: entity)
        guard let slot = layout.index(of: name), layout.slots[slot].hasTrigramIndex else { return nil }
        return indexed.firstIndex(of: name)
    }

    /// Whether all entities whose objects are fetched have the index of an attribute: one of a subentity may have another flag.
    private func isIndexedInAll(_ name: String) -> Bool {
        store.storedEntities.allSatisfy { storedEntity in
            guard includesSubentities, storedEntity.entity.isKindOf(entity: entity) else { return true }
            let slot = storedEntity.layout.index(of: name).map { storedEntity.layout.slots[$0] }
            return slot?.hasTrigramIndex ?? false
        }
    }
}

extension NSComparisonPredicate {
    /// The operators that find a part of a string.
    fileprivate enum PartOperation {
        case contains, beginsWith, endsWith, like, matches

        var word: String {
            switch self {
            case .contains: "CONTAINS"
            case .beginsWith: "BEGINSWITH"
            case .endsWith: "ENDSWITH"
            case .like: "LIKE"
            case .matches: "MATCHES"
            }
        }

        /// - Returns: nil for a regular expression.
        func pattern(_ text: String, _ comparison: TextComparison) -> TextPattern? {
            switch self {
            case .contains: TextPattern(containing: text, comparison: comparison)
            case .beginsWith: TextPattern(beginningWith: text, comparison: comparison)
            case .endsWith: TextPattern(endingWith: text, comparison: comparison)
            case .like: TextPattern(like: text, comparison: comparison)
            case .matches: nil
            }
        }
    }

    fileprivate var textOperation: PartOperation? {
        switch predicateOperatorType {
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .like: .like
        case .matches: .matches
        default: nil
        }
    }
}

extension NSComparisonPredicate.Options {
    /// As they are written behind an operator: `[cd]`.
    fileprivate var letters: String {
        let letters = zip("cdnlw", 0...).filter { rawValue & (1 << $1) != 0 }.map { String($0.0) }
        return letters.isEmpty ? "" : "[\(letters.joined())]"
    }
}
