import CoreData
import Foundation

/// What another process does to a store, printed line by line.
public struct RemoteChangeWriter {
    private let container: NSPersistentContainer

    /// The model of the store: notes with a text, in its second version with a color, too.
    public static func model(version: Int = 1) -> NSManagedObjectModel {
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = (version == 1 ? ["text"] : ["text", "color"]).map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    /// A container with the store, opened.
    ///
    /// - Throws: why the store cannot be opened.
    public static func container(
        _ file: URL, version: Int = 1, options: [String: NSObject] = [:]
    ) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model(version: version))
        let description = NSPersistentStoreDescription(url: file)
        for (key, option) in options { description.setOption(option, forKey: key) }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    init(_ file: URL, version: Int) throws {
        container = try Self.container(
            file, version: version, options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
    }

    /// Works on the store at the path of the first argument, by the model's version that is the second one: says `open`, then
    /// does what each line of the input says, and says `done`.
    public static func run(_ arguments: [String]) throws {
        let writer = try RemoteChangeWriter(
            URL(fileURLWithPath: arguments[0]), version: Int(arguments[1]) ?? 1)
        say("open")
        while let line = readLine() {
            try writer.execute(line.split(separator: " ").map(String.init))
            say("done")
        }
    }

    private static func say(_ word: String) {
        FileHandle.standardOutput.write(Data("\(word)\n".utf8))
    }

    private func execute(_ words: [String]) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            switch words[0] {
            case "insert":
                for number in 0..<(Int(words[2]) ?? 1) {
                    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                    note.setValue(number == 0 ? words[1] : "\(words[1])\(number)", forKey: "text")
                    try context.save()
                }
            case "update":
                for note in try notes(words[1], context) { note.setValue(words[2], forKey: "text") }
                try context.save()
            case "delete":
                for note in try notes(words[1], context) { context.delete(note) }
                try context.save()
            case "batch":
                _ = try context.execute(
                    NSBatchInsertRequest(entityName: "Note", objects: [["text": words[1]]]))
            case "purge":
                _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date()))
            default: throw CocoaError(.featureUnsupported)
            }
        }
    }

    private func notes(_ text: String, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: "text == %@", text)
        return try context.fetch(request)
    }
}
