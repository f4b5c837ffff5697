import CoreData
import Foundation
import Testing

extension SearchModel {
    /// The model with both indexes of the titles: that of words, and that of trigrams.
    static func withBothIndexes() -> NSManagedObjectModel {
        model { entities in
            for name in ["Book", "Novel"] {
                entities[name]?.attributesByName["title"]?.userInfo = [SubstringModel.key: "YES"]
            }
        }
    }
}

extension SearchStack {
    /// A store of books with both indexes.
    static func withBothIndexes(_ titles: String..., isIndexed: Bool = true) async throws -> SearchStack {
        let stack = try SearchStack(.file, SearchModel.withBothIndexes())
        try stack.context.save(titles)
        if isIndexed { try await stack.coordinator.updateSearchIndexes() }
        return stack
    }

    /// The files of both indexes, with their logs.
    var indexFiles: [String] {
        [index, trigrams].flatMap { url in ["", "-wal", "-shm"].map { url.path + $0 } }
    }

    /// Closes the store of the coordinator.
    func close() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}

extension NSManagedObjectContext {
    /// Saves books of some titles.
    func save(_ titles: [String]) throws {
        try run { context throws in
            for title in titles { context.add(["title": title]) }
            try context.save()
        }
    }

    /// The titles that have a string in them, sorted.
    func titles(containing part: String) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "title CONTAINS %@", argumentArray: [part])
        return try fetch(request).compactMap { $0.value(forKey: "title") as? String }.sorted()
    }

    /// Expects that books are found by a word of their titles and by a part of it.
    ///
    /// - Parameters:
    ///   - word: a word of more than four characters.
    ///   - usesIndex: whether the part is looked up in the trigram index; nil where that does not matter.
    func expect(
        _ word: String, _ titles: [String], usesIndex: Bool? = nil,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let part = String(word.dropFirst().dropLast())
        try run { context throws in
            #expect(try context.titles(word) == titles, "\(word)", sourceLocation: location)
            #expect(
                try context.titles(containing: part) == titles, "part of \(word)", sourceLocation: location)
            guard let usesIndex else { return }
            let predicate = NSPredicate(format: "title CONTAINS %@", argumentArray: [part])
            let notes = try context.notes(predicate)
            #expect(notes.contains("leaves") == usesIndex, "\(notes)", sourceLocation: location)
        }
    }
}
