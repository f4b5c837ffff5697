import CoreData
import Foundation
import TestSupport

/// A request for dictionaries of computed values, of each object or of groups.
struct RandomDictionaryRequest: CustomStringConvertible {
    private let entity: String
    private let columns: [RandomPredicate]
    private let condition: RandomPredicate?
    /// The keys by which the objects are grouped; nil for no groups.
    private let groups: [String]?
    private let having: RandomPredicate?
    private let isDistinct: Bool

    init(_ vocabulary: ConditionVocabulary, _ numbers: inout SeededNumbers) {
        func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }
        let entity = vocabulary.names[below(vocabulary.names.count)]
        self.entity = entity
        condition = below(3) == 0 ? RandomPredicate(about: entity, vocabulary, depth: 1, &numbers) : nil
        let isOfGroups = below(2) == 0
        columns = (0..<(1 + below(3))).map { _ in
            let depth = 1 + Int.random(in: 0..<3, using: &numbers)
            return isOfGroups
                ? RandomPredicate(aggregateOf: entity, vocabulary, depth: depth, &numbers)
                : RandomPredicate(expressionOf: entity, vocabulary, depth: depth, &numbers)
        }
        let keys = vocabulary.groupable(entity)
        groups =
            isOfGroups
            ? (0..<below(3)).map { _ in keys.randomElement(using: &numbers) ?? "serial" } : nil
        having =
            groups?.isEmpty == false && below(2) == 0
            ? RandomPredicate(aggregateOf: entity, vocabulary, depth: 1, &numbers) : nil
        isDistinct = below(4) == 0
    }

    var description: String {
        """
        \(entity): \(columns.map(\.format)) \(columns.map(\.arguments)) where \(condition?.format ?? "") \(condition?.arguments ?? []) \
        by \(groups ?? []) having \(having?.format ?? "") \(having?.arguments ?? []) \(isDistinct ? "distinct" : "")
        """
    }

    /// The rows as texts, sorted.
    func answer(_ context: NSManagedObjectContext) -> Result<[String], any Error> {
        Result { try context.fetch(request()).map(Self.text).sorted() }
    }

    private func request() -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: entity)
        request.resultType = .dictionaryResultType
        var properties: [Any] = columns.enumerated().map { index, column in
            let description = NSExpressionDescription()
            description.name = "c\(index)"
            description.expression = NSExpression(
                format: column.format, argumentArray: Self.arguments(column))
            return description
        }
        properties += groups ?? []
        request.propertiesToFetch = properties
        request.propertiesToGroupBy = groups.flatMap { $0.isEmpty ? nil : $0 }
        request.predicate = condition.map {
            NSPredicate(format: $0.format, argumentArray: Self.arguments($0))
        }
        request.havingPredicate = having.map {
            NSPredicate(format: "\($0.format) > 0", argumentArray: Self.arguments($0))
        }
        request.returnsDistinctResults = isDistinct
        return request
    }

    private static func arguments(_ random: RandomPredicate) -> [Any] {
        random.arguments.map { argument in
            switch argument {
            case .value(let value): value
            // Without conditions on an object: it may be deleted.
            case .object, .request, .context: NSNull()
            case .objects: [Any]()
            }
        }
    }

    private static func text(_ row: NSDictionary) -> String {
        let pairs = (row as? [String: Any] ?? [:]).map { key, value -> String in
            switch value {
            // Equal texts may have other characters.
            case let text as String: "\(key) = \(text.unicodeScalars.map(\.value))"
            case let date as Date: "\(key) = \(date.timeIntervalSinceReferenceDate) s"
            case let number as NSNumber: "\(key) = \(number.doubleValue == 0 ? 0 : number.doubleValue)"
            case let number as Decimal: "\(key) = \(NSDecimalNumber(decimal: number).doubleValue)"
            default: "\(key) = \(value)"
            }
        }
        return pairs.sorted().joined(separator: ", ")
    }
}

extension ConditionVocabulary {
    /// Keys that objects of an entity can be grouped by, also over relationships to one.
    fileprivate func groupable(_ name: String) -> [String] {
        let kinds: [Kind] = [.text, .integer, .boolean, .real, .decimal, .date, .uuid, .uri, .data]
        let related = self[name].toOne.flatMap { way in
            self[way.entity].paths(kinds).map { "\(way.path).\($0)" }
        }
        return self[name].paths(kinds) + related
    }
}
