import CoreData
import Foundation
import TestSupport

/// A request with a random condition, an order or none, and a window or none.
struct RandomRequest: CustomStringConvertible {
    private let entity: String
    private let predicate: RandomPredicate
    private let keys: [(key: String, isAscending: Bool)]
    private let limit: Int
    private let offset: Int

    init(_ vocabulary: ConditionVocabulary, _ numbers: inout SeededNumbers) {
        let entity = vocabulary.names[Int.random(in: vocabulary.names.indices, using: &numbers)]
        self.entity = entity
        predicate = RandomPredicate(
            about: entity, vocabulary, depth: Int.random(in: 1...3, using: &numbers), &numbers)
        let sortable = vocabulary.sortable(entity)
        keys = (0..<Int.random(in: 0...2, using: &numbers)).map { _ in
            (sortable.randomElement(using: &numbers) ?? "serial", Bool.random(using: &numbers))
        }
        limit = Int.random(in: 0..<5, using: &numbers)
        offset = Int.random(in: 0..<3, using: &numbers)
    }

    var description: String {
        "\(entity): \(predicate.format) \(predicate.arguments) by \(keys), \(limit) from \(offset)"
    }

    func request() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        // Without a condition on an object: it may be deleted.
        let arguments = predicate.arguments.map { argument -> Any in
            if case .value(let value) = argument { return value }
            if case .objects = argument { return [Any]() }
            return NSNull()
        }
        request.predicate = NSPredicate(format: predicate.format, argumentArray: arguments)
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0.key, ascending: $0.isAscending) }
        request.fetchLimit = limit
        request.fetchOffset = offset
        return request
    }

    /// The objects' numbers and how many a count finds.
    func answer(_ context: NSManagedObjectContext) -> Result<[Int], any Error> {
        Result {
            let request = request()
            let found = try context.fetch(request).compactMap { $0.value(forKey: "serial") as? Int }
            return found + [try context.count(for: request)]
        }
    }
}

extension ConditionVocabulary {
    /// Keys that objects of an entity can be sorted by, also over relationships to one.
    fileprivate func sortable(_ name: String) -> [String] {
        let kinds: [Kind] = [.text, .integer, .boolean, .real, .decimal, .date]
        let direct = self[name].paths(kinds)
        let related = self[name].toOne.flatMap { way in
            self[way.entity].paths(kinds).map { "\(way.path).\($0)" }
        }
        // A sort descriptor has no use for the mark of a reserved word.
        return (direct + direct + related).map { $0.replacingOccurrences(of: "#", with: "") }
    }
}
