import CoreData

/// Reading properties of an object that is loaded.
enum Reading {
    final class Note: NSManagedObject {
        static let number = ManagedKey<Int64>("number")
        static let text = ManagedKey<String?>("text")
    }

    static func properties(_ turns: Int, _ folder: Folder) throws -> Workload {
        let (model, _) = model("Note", [("number", .integer64), ("text", .string)], class: Note.self)
        let coordinator = try NSPersistentStoreCoordinator.opening(folder.file("notes.sqlite"), model)
        try coordinator.inContext { context in
            let note = Note(context: context)
            note[Note.number] = 7
            note[Note.text] = "a text that does not fit into the reference to it"
            try context.save()
        }
        let context = coordinator.newContext()
        func read(_ body: (Note) -> Int) throws -> Int {
            try context.performAndWait {
                guard let note = try context.fetch(NSFetchRequest<Note>(entityName: "Note")).first else {
                    return -1
                }
                return body(note) / 7 * 7
            }
        }
        return Workload(
            name: "read a property \(turns) times",
            contestants: [
                .init(name: "integer") {
                    try read { note in
                        var sum = 0
                        for _ in 0..<turns { sum &+= Int(note[Note.number]) }
                        return sum
                    }
                },
                .init(name: "text") {
                    try read { note in
                        var sum = 0
                        for _ in 0..<turns { sum &+= note[Note.text]?.utf8.count ?? 0 > 7 ? 7 : 0 }
                        return sum
                    }
                },
            ],
            goals: [
                .each("integer", of: turns, 5, .nanoseconds), .each("text", of: turns, 15, .nanoseconds),
            ])
    }
}
