import CoreData
import CoreDataSQLite
import Foundation

/// A model with attributes that have a trigram index, in an entity and a subentity.
enum SubstringModel {
    static let key = "OpenCoreDataTrigramIndex"

    /// - Parameter flags: what is in the user info of attributes, by their names.
    static func model(
        _ flags: [String: Any] = ["title": "YES", "note": true, "genre": 1]
    ) -> NSManagedObjectModel {
        func attribute(
            _ name: String, _ type: NSAttributeDescription.AttributeType = .string
        ) -> NSAttributeDescription {
            let attribute = SearchModel.attribute(name, type, isIndexed: false)
            if let flag = flags[name] { attribute.userInfo = [key: flag] }
            return attribute
        }
        let book = NSEntityDescription()
        book.name = "Book"
        book.managedObjectClassName = "NSManagedObject"
        book.properties = [
            attribute("number", .integer64), attribute("title"), attribute("note"), attribute("plain"),
        ]
        let novel = NSEntityDescription()
        novel.name = "Novel"
        novel.managedObjectClassName = "NSManagedObject"
        novel.properties = [attribute("genre")]
        book.subentities = [novel]
        let model = NSManagedObjectModel()
        model.entities = [book, novel]
        return model
    }
}

extension SearchStack {
    /// The file of the trigram index.
    var trigrams: URL { URL(fileURLWithPath: store.path + "-search-_trigrams") }

    /// A stack with books of some titles, numbered from 1, and an index of them.
    static func titled(_ titles: String..., isIndexed: Bool = true) async throws -> SearchStack {
        let stack = try SearchStack(.file, SubstringModel.model())
        try stack.add(titles)
        if isIndexed { try await stack.coordinator.updateSearchIndexes() }
        return stack
    }

    func add(_ titles: [String]) throws {
        try context.run { context throws in
            let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
            for (index, title) in titles.enumerated() {
                context.add(["number": count + index + 1, "title": title])
            }
            try context.save()
        }
    }

    /// The numbers of the books that meet a condition.
    func numbers(_ format: String, _ arguments: Any...) throws -> [Int] {
        let predicate = NSPredicate(format: format, argumentArray: arguments)
        return try context.run { try $0.numbers(predicate) }
    }

    /// What a fetch says of the trigram index.
    func notes(_ format: String, _ arguments: Any...) throws -> String {
        let predicate = NSPredicate(format: format, argumentArray: arguments)
        return try context.run { try $0.notes(predicate) }
    }

    func deleteHistory() throws {
        try context.run { context throws in
            _ = try context.execute(
                NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        }
    }
}

extension NSManagedObjectContext {
    func numbers(_ predicate: NSPredicate, entity: String = "Book") throws -> [Int] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        return try fetch(request).compactMap { $0.value(forKey: "number") as? Int }.sorted()
    }

    func notes(_ predicate: NSPredicate, entity: String = "Book") throws -> String {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        return try explanations(of: request).flatMap(\.indexNotes).joined(separator: "\n")
    }
}
