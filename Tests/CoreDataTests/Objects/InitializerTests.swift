import CoreData
import Foundation
import Testing

/// What the initializer of a class may do while a context makes an object for a row.
struct InitializerTests {
    @Test("An initializer can read the identity of its object, and the fetched object has its row's")
    func identityIsRead() throws {
        let entity = NSEntityDescription.make("Named", class: NamedRow.self, [attribute("name", .string)])
        let folder = try StoreFolder()
        try folder.open(NSManagedObjectModel(of: entity)).inContext { context throws in
            try context.insert("Named", ["name": "a"])
            try context.save()
            context.reset()
            let objects = try context.fetch(NSFetchRequest<NamedRow>(entityName: "Named"))
            #expect(objects.map { $0.value(forKey: "name") as? String } == ["a"])
            #expect(objects.allSatisfy { !$0.objectID.isTemporaryID && !$0.firstDescription.isEmpty })
        }
    }
}

/// Describes itself when it is made, as code that logs does.
final class NamedRow: NSManagedObject {
    var firstDescription = ""

    required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        firstDescription = "\(objectID)"
    }
}
