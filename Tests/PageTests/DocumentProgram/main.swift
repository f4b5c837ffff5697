import CoreData
import Foundation

// Makes stores in a folder: program MODEL FOLDER TEXT. Two authors and 120 books in a new XML and a new binary store; in a SQLite
// store with a history, an author whose name, and a transaction whose author, are the text, as is a value of the metadata.

enum ProgramError: Error {
    case noModel
}

func makeDocument(_ type: String, _ url: URL, _ model: NSManagedObjectModel) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
        let authors = ["Ada", "Bo"].map { name in
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            author.setValue(name, forKey: "name")
            return author
        }
        for number in 1...120 {
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue("Book \(number)", forKey: "title")
            book.setValue(authors[number % 2], forKey: "author")
            book.setValue(NSDecimalNumber(value: number), forKey: "price")
        }
        try context.save()
    }
    try coordinator.remove(store)
}

func makeHistory(_ url: URL, _ model: NSManagedObjectModel, _ text: String) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url,
        options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
    var metadata = coordinator.metadata(for: store)
    metadata[text] = text
    coordinator.setMetadata(metadata, for: store)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
        context.transactionAuthor = text
        context.name = text
        let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
        author.setValue(text, forKey: "name")
        try context.save()
        author.setValue("Ada", forKey: "name")
        try context.save()
    }
    try coordinator.remove(store)
}

let arguments = CommandLine.arguments
let folder = URL(fileURLWithPath: arguments[2])
guard let model = NSManagedObjectModel(contentsOf: URL(fileURLWithPath: arguments[1])) else {
    throw ProgramError.noModel
}
try makeDocument(NSXMLStoreType, folder.appendingPathComponent("Books.xml"), model)
try makeDocument(NSBinaryStoreType, folder.appendingPathComponent("Books.binary"), model)
try makeHistory(folder.appendingPathComponent("History.sqlite"), model, arguments[3])
