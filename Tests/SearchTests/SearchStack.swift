import CoreData
import Foundation
import Testing

/// A model with what is searched: a hierarchy, fields of several types, and an entity with a display name.
enum SearchModel {
    static func model(_ change: ([String: NSEntityDescription]) -> Void = { _ in }) -> NSManagedObjectModel {
        let book = entity("Book")
        book.properties = [
            attribute("title", .string), attribute("abstract", .string), attribute("isbn", .uuid),
            attribute("site", .uri), attribute("year", .integer16),
            attribute("note", .string, isIndexed: false),
        ]
        let novel = entity("Novel")
        novel.properties = [attribute("genre", .string)]
        book.subentities = [novel]
        let author = entity("Author")
        author.properties = [
            attribute("first", .string, isIndexed: false), attribute("last", .string, isIndexed: false),
        ]
        author.coreSpotlightDisplayNameExpression = NSExpression(forKeyPath: "last")
        let tag = entity("Tag")
        tag.properties = [attribute("name", .string, isIndexed: false)]
        change(["Book": book, "Novel": novel, "Author": author, "Tag": tag])
        let model = NSManagedObjectModel()
        model.entities = [book, novel, author, tag]
        return model
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        return entity
    }

    static func attribute(
        _ name: String, _ type: NSAttributeDescription.AttributeType, isIndexed: Bool = true
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        attribute.isOptional = true
        attribute.isIndexedBySpotlight = isIndexed
        return attribute
    }
}

/// The types of stores that are searched.
enum SearchedStore: String, CaseIterable, CustomTestStringConvertible {
    case file, database, memory, xml, binary

    var testDescription: String { rawValue }

    var type: NSPersistentStore.StoreType {
        switch self {
        case .file, .database: .sqlite
        case .memory: .inMemory
        case .xml: .xml
        case .binary: .binary
        }
    }

    var options: [AnyHashable: Any]? { type == .sqlite ? [NSPersistentHistoryTrackingKey: true] : nil }
}

/// A coordinator with one store in a folder of its own.
final class SearchStack {
    let folder: URL
    let store: URL
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    /// - Parameter parent: where the folder is made.
    init(
        _ kind: SearchedStore = .file, _ model: NSManagedObjectModel = SearchModel.model(),
        options: [AnyHashable: Any] = [:], in parent: URL = FileManager.default.temporaryDirectory
    ) throws {
        folder = parent.appendingPathComponent("Search-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store =
            kind == .database ? URL(fileURLWithPath: "/dev/null") : folder.appendingPathComponent("Store.db")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: kind.type, at: store, options: (kind.options ?? [:]).merging(options) { $1 })
        context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
    }

    deinit {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        try? FileManager.default.removeItem(at: folder)
    }

    var index: URL { URL(fileURLWithPath: store.path + "-search") }

    /// A second coordinator with the same store.
    func other(_ model: NSManagedObjectModel = SearchModel.model(), options: [AnyHashable: Any] = [:]) throws
        -> NSManagedObjectContext
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: .sqlite, at: store, options: [NSPersistentHistoryTrackingKey: true].merging(options) { $1 })
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}

extension NSManagedObjectContext {
    @discardableResult
    func add(_ values: [String: Any]) -> NSManagedObject { add("Book", values) }

    @discardableResult
    func add(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        object.setValuesForKeys(values)
        return object
    }

    /// Runs a block on the queue.
    func run<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        try performAndWait { try body(self) }
    }

    /// The titles of the books that a fetch with a search finds, sorted.
    func titles(_ words: String, attributes: [String]? = nil, entity: String = "Book") throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(searching: words, attributes: attributes)
        return try fetch(request).compactMap { $0.value(forKey: "title") as? String }.sorted()
    }

    func request(_ words: String, entity: String = "Book") -> SearchRequest<NSManagedObject> {
        SearchRequest(words, entityName: entity)
    }
}

extension SearchResult<NSManagedObject> {
    var titles: [String] { hits.map { $0.object.value(forKey: "title") as? String ?? "" } }
}
