import CoreData
import Foundation

// Puts a book into a new store and reads it back: program MODEL STORE.

enum ProgramError: Error {
    case noModel
    case nothingFound
}

func run(_ modelFile: URL, _ storeFile: URL) throws {
    guard let model = NSManagedObjectModel(contentsOf: modelFile) else { throw ProgramError.noModel }
    let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: storeFile)
    description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
    container.persistentStoreDescriptions = [description]
    var problem: (any Error)?
    container.loadPersistentStores { _, error in problem = error }
    if let problem { throw problem }

    let context = container.newBackgroundContext()
    try context.performAndWait {
        context.transactionAuthor = "the program"
        let author = Author(context: context)
        author.name = "Jean-Jacques Rousseau"
        let book = Book(context: context)
        book.title = "ÉMILE, ou De l’éducation"
        book.price = NSDecimalNumber(string: "12.50")
        book.author = author
        try context.save()
    }

    let reader = container.newBackgroundContext()
    try reader.performAndWait {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = NSPredicate(format: "canonicalTitle BEGINSWITH %@", "emile")
        guard let book = try reader.fetch(request).first else { throw ProgramError.nothingFound }
        print(book.canonicalTitle ?? "none")
        print(book.authorName ?? "none", book.author?.bookCount ?? -1, book.author?.totalPrice ?? 0)
    }
}

let arguments = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
try run(arguments[0], arguments[1])
