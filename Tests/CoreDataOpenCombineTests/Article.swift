import CoreDataOpenCombine
import Foundation

final class Article: NSManagedObject {
    static let titleKey = ManagedKey<String?>("title")

    override class var managedProperties: [ManagedProperty] {
        [.custom("title", \Article.title), .custom("words", \Article.words)]
    }

    var title: String? {
        get { self[Self.titleKey] }
        set { self[Self.titleKey] = newValue }
    }

    /// Written as Apple's guides write a custom accessor.
    var words: Int {
        get {
            willAccessValue(forKey: "words")
            defer { didAccessValue(forKey: "words") }
            return primitiveValue(forKey: "words") as? Int ?? 0
        }
        set {
            willChangeValue(forKey: "words")
            setPrimitiveValue(newValue, forKey: "words")
            didChangeValue(forKey: "words")
        }
    }

    /// A context over an empty store in memory, with a model of articles.
    static func context() throws -> NSManagedObjectContext {
        let entity = NSEntityDescription()
        entity.name = "Article"
        entity.managedObjectClassName = "Article"
        let title = NSAttributeDescription()
        title.name = "title"
        title.type = .string
        title.isOptional = true
        let words = NSAttributeDescription()
        words.name = "words"
        words.type = .integer64
        words.isOptional = true
        entity.properties = [title, words]
        NSManagedObjectModel.register(Article.self)
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Articles in the order of their titles.
    static var byTitle: NSFetchRequest<Article> {
        let request = NSFetchRequest<Article>(entityName: "Article")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return request
    }
}
