import CoreData
import StoreTools
import Testing

/// Stores are searched by words as they are: by the flags of their models or without, with history or without.
@Suite struct TextSearchTests {
    /// The references of the objects that a search finds, sorted.
    private func references(
        _ words: String, _ search: StoreTextSearch,
        _ change: (inout StoreTextSearch.Request) -> Void = { _ in }
    ) throws -> [String] {
        try found(words, search, change).entities.flatMap { $0.objects.map(\.objectID) }.sorted()
    }

    private func found(
        _ words: String, _ search: StoreTextSearch,
        _ change: (inout StoreTextSearch.Request) -> Void = { _ in }
    ) throws -> FoundObjects {
        var request = StoreTextSearch.Request(words)
        change(&request)
        let state = try search.context.performAndWait { try search.find(request) }
        guard case .found(let found) = state else { throw StoreToolError("It is indexing still.") }
        return found
    }

    @Test(
        "A store that a program has open is searched as it is now, with history and without, and no file is made",
        arguments: [true, false])
    func openStore(_ hasHistory: Bool) throws {
        let notes = try NoteStore(hasHistory: hasHistory)
        try notes.save { NoteStore.add("Note", ["text": "War and peace", "hidden": "secret"], $0) }
        try notes.save { NoteStore.add("Memo", ["text": "peace", "topic": "Wär"], $0) }
        try notes.save { NoteStore.add("Author", ["name": "War"], $0) }
        let names = try notes.fileNames
        let search = try StoreTextSearch(notes.url, model: nil)
        #expect(search.isPossible && search.notices.isEmpty)
        #expect(try references("war", search) == ["Memo/2", "Note/1"])
        #expect(try references("secret", search) == [])
        try notes.save { NoteStore.add("Note", ["text": "no war"], $0) }
        #expect(try references("war", search) == ["Memo/2", "Note/1", "Note/3"])
        try notes.save { context in
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Memo")) {
                context.delete(object)
            }
        }
        #expect(try references("war", search) == ["Note/1", "Note/3"])
        #expect(try notes.fileNames == names)
        try search.close()
        #expect(try notes.fileNames == names)
    }

    @Test("A store that no program has open stays as it is, byte for byte", arguments: [true, false])
    func closedStore(_ hasHistory: Bool) throws {
        let notes = try NoteStore(hasHistory: hasHistory)
        try notes.save { NoteStore.add("Note", ["text": "War and peace"], $0) }
        try notes.close()
        let (before, names) = (try Data(contentsOf: notes.url), try notes.fileNames)
        for attributes in [StoreTextSearch.Attributes.indexed, .all] {
            let search = try StoreTextSearch(notes.url, model: nil, attributes: attributes)
            #expect(try references("peace", search) == ["Note/1"])
            try search.close()
        }
        #expect(try Data(contentsOf: notes.url) == before && notes.fileNames == names)
    }

    @Test("The index that a program has beside its store stays as it is")
    func indexOfAProgram() throws {
        let notes = try NoteStore(hasHistory: true)
        try notes.save { NoteStore.add("Note", ["text": "war", "hidden": "secret"], $0) }
        #expect(try notes.count("war") == 1)
        try notes.close()
        let index = URL(fileURLWithPath: notes.url.path + "-search")
        let (before, names) = (try Data(contentsOf: index), try notes.fileNames)
        let search = try StoreTextSearch(notes.url, model: nil, attributes: .all)
        #expect(try references("secret", search) == ["Note/1"])
        try search.close()
        #expect(try Data(contentsOf: index) == before && notes.fileNames == names)
    }

    @Test("On request the index beside a store is made, and used again, and the store stays as it is")
    func keptIndex() throws {
        let notes = try NoteStore(hasHistory: true)
        try notes.save { NoteStore.add("Note", ["text": "war", "hidden": "secret"], $0) }
        try notes.close()
        let (before, names) = (try Data(contentsOf: notes.url), try notes.fileNames)
        let index = URL(fileURLWithPath: notes.url.path + "-search")
        var found: [[String]] = []
        var identities: Set<NSNumber> = []
        for _ in 0..<2 {
            let search = try StoreTextSearch(notes.url, model: nil, keepsIndex: true)
            found.append(try references("war", search))
            try search.close()
            let attributes = try FileManager.default.attributesOfItem(atPath: index.path)
            identities.insert(try #require(attributes[.systemFileNumber] as? NSNumber))
        }
        #expect(found == [["Note/1"], ["Note/1"]] && identities.count == 1)
        // The header of the file counts the programs that opened it for writing.
        #expect(try Data(contentsOf: notes.url).dropFirst(100) == before.dropFirst(100))
        #expect(try Set(notes.fileNames).subtracting(names).allSatisfy { $0.contains("-search") })
    }

    @Test(
        "An index of all strings, of a store without history or of one that is not to be written, is a temporary one"
    )
    func indexThatIsNotKept() throws {
        for (hasHistory, mode, attributes) in [
            (true, 0o644, StoreTextSearch.Attributes.all), (false, 0o644, .indexed), (true, 0o444, .indexed),
        ] {
            let notes = try NoteStore(hasHistory: hasHistory)
            try notes.save { NoteStore.add("Note", ["text": "war"], $0) }
            try notes.close()
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: notes.url.path)
            let names = try notes.fileNames
            let search = try StoreTextSearch(notes.url, model: nil, attributes: attributes, keepsIndex: true)
            #expect(try references("war", search) == ["Note/1"])
            try search.close()
            #expect(try notes.fileNames == names)
        }
    }

    @Test("An index that was made by other flags is neither used nor rebuilt")
    func indexOfOtherFlags() throws {
        let notes = try NoteStore(hasHistory: true)
        try notes.save { NoteStore.add("Note", ["text": "war", "hidden": "secret"], $0) }
        #expect(try notes.count("war") == 1)
        try notes.close()
        let index = URL(fileURLWithPath: notes.url.path + "-search")
        #expect(try Data(contentsOf: index).range(of: Data("war".utf8)) != nil)
        let model = NoteStore.model(hasFlags: false)
        model.entitiesByName["Note"]?.attributesByName["hidden"]?.isIndexedBySpotlight = true
        let search = try StoreTextSearch(notes.url, model: model, keepsIndex: true)
        #expect(try references("secret", search) == ["Note/1"])
        try search.close()
        #expect(try Data(contentsOf: index).range(of: Data("secret".utf8)) == nil)
    }

    @Test("Where the model says nothing, all strings are searched on request only")
    func noFlags() throws {
        let notes = try NoteStore(hasHistory: false, hasFlags: false)
        try notes.save { context in
            NoteStore.add("Note", ["text": "war", "hidden": "secret"], context)
            NoteStore.add("Author", ["name": "Secretary"], context)
        }
        #expect(try !StoreTextSearch(notes.url, model: nil).isPossible)
        let search = try StoreTextSearch(notes.url, model: nil, attributes: .all)
        #expect(search.isPossible)
        let all = try found("secret*", search)
        #expect(all.count == 2 && all.entities.map(\.name) == ["Author", "Note"])
        #expect(all.entities.map { $0.objects.first?.attribute } == ["name", "hidden"])
    }

    @Test(
        "A search can be ended while it indexes, and goes on where it was, also beside a program that saves")
    func parts() throws {
        let notes = try NoteStore(hasHistory: false)
        try notes.save { context in
            // More than are indexed in one step.
            let notes = (0..<21_000).map { ["text": "war \($0)"] }
            try context.execute(NSBatchInsertRequest(entityName: "Note", objects: notes))
        }
        let search = try StoreTextSearch(notes.url, model: nil)
        var counts: [Int] = []
        var result: FoundObjects?
        while result == nil, counts.count < 50 {
            let state = try search.context.performAndWait {
                try search.find(StoreTextSearch.Request("war")) { _, _ in false }
            }
            switch state {
            case .indexing(let done, let total):
                #expect(done <= total && total >= 21_000)
                counts.append(done)
                try notes.save { NoteStore.add("Note", ["text": "later war"], $0) }
            case .found(let found): result = found
            }
        }
        #expect(counts.count > 2)
        #expect((21_000...21_050).contains(try #require(result).count))
        #expect(try found("war", search).count == 21_000 + counts.count)
    }

    @Test("A search that was ended finds nothing, also once the store is indexed; the next one finds all")
    func cancellation() throws {
        let notes = try NoteStore(hasHistory: false)
        try notes.save { context in
            NoteStore.add("Note", ["text": "war"], context)
            NoteStore.add("Memo", ["text": "war"], context)
        }
        let search = try StoreTextSearch(notes.url, model: nil)
        let cancellation = FetchCancellation()
        for isIndexed in [false, true] {
            let error = #expect(throws: NSError.self) {
                try search.context.performAndWait {
                    try search.find(StoreTextSearch.Request("war"), endedBy: cancellation) { _, _ in
                        // The store is indexed to the end; what has the words is looked for after it.
                        cancellation.cancel()
                        return true
                    }
                }
            }
            #expect(error?.code == CocoaError.Code.userCancelled.rawValue, "\(isIndexed)")
        }
        #expect(try references("war", search).count == 2)
    }

    @Test("Any text is valid as what is searched for")
    func hostileWords() throws {
        let notes = try NoteStore(hasHistory: false)
        try notes.save { NoteStore.add("Note", ["text": "a war"], $0) }
        let search = try StoreTextSearch(notes.url, model: nil)
        for words in [
            "", " ", "\"", "*", "NEAR(a b", "text:war", "- - -", "(((", "\u{0}", "OR OR",
            "'; DROP TABLE d0; --",
            "a\u{1B}[31m", String(repeating: "\u{301}", count: 10_000),
        ] {
            #expect(try found(words, search).count <= 1, "\(words.prefix(20))")
        }
        // The first words count.
        let many = String(repeating: "war ", count: 100_000)
        #expect(try references(many, search) == ["Note/1"])
    }

    @Test("A snippet has the words of the search, and is short whatever stands between them")
    func snippets() throws {
        let notes = try NoteStore(hasHistory: false)
        for count in [3_000, 1_000_000] {
            try notes.save { context in
                NoteStore.add(
                    "Note", ["text": "war" + String(repeating: "!", count: count) + "peace"], context)
            }
        }
        let group = try #require(
            try found("peace war", StoreTextSearch(notes.url, model: nil)).entities.first)
        #expect(group.count == 2 && group.objects.count == 2)
        for hit in group.objects {
            #expect(hit.attribute == "text" && hit.rank != nil)
            #expect(hit.snippet.first { $0.isHighlighted }?.text == "war")
            #expect(hit.snippet.reduce(0) { $0 + $1.text.count } < 1_000)
        }
        let short = try #require(group.objects.first { $0.objectID == "Note/1" })
        #expect(short.snippet.filter(\.isHighlighted).map(\.text) == ["war", "peace"])
    }

    @Test("Objects of each entity are paged, and those of one entity have its subentities with them")
    func pagesAndEntities() throws {
        let notes = try NoteStore(hasHistory: false)
        try notes.save { context in
            for _ in 0..<5 {
                NoteStore.add("Note", ["text": "war"], context)
                NoteStore.add("Memo", ["text": "war"], context)
            }
        }
        let search = try StoreTextSearch(notes.url, model: nil)
        let page = try found("war", search) { ($0.offset, $0.limit) = (3, 4) }
        #expect(page.count == 10 && page.entities.map(\.count) == [5, 5])
        #expect(page.entities.map(\.objects.count) == [2, 2])
        #expect(try found("war", search) { $0.entity = "Note" }.entities.map(\.name) == ["Memo", "Note"])
        #expect(try found("war", search) { $0.entity = "Memo" }.entities.map(\.name) == ["Memo"])
        for (entity, text) in [("Nothing", "it has: Author, Memo, Note"), ("Author", "Index in Spotlight")] {
            let error = #expect(throws: StoreToolError.self) {
                try found("war", search) { $0.entity = entity }
            }
            #expect(error?.description.contains(text) ?? false)
        }
    }

    @Test(
        "An XML or binary store is searched with its model, and without it by all strings",
        arguments: ["xml", "binary"])
    func documents(_ type: String) throws {
        let notes = try NoteStore(hasHistory: false, type: type == "xml" ? NSXMLStoreType : NSBinaryStoreType)
        try notes.save { NoteStore.add("Note", ["text": "War and peace"], $0) }
        try notes.close()
        let (before, names) = (try Data(contentsOf: notes.url), try notes.fileNames)
        let search = try StoreTextSearch(notes.url, model: NoteStore.model(hasFlags: true))
        #expect(try references("peace", search).count == 1)
        try search.close()
        let unknown = try StoreTextSearch(notes.url, model: nil, attributes: .all)
        #expect(try references("peace", unknown).count == 1 && !unknown.notices.isEmpty)
        try unknown.close()
        #expect(try Data(contentsOf: notes.url) == before && notes.fileNames == names)
    }
}

/// A store of notes that a program has open, in a folder of a test's own, which goes with it.
private final class NoteStore {
    let url: URL
    private let folder: URL
    private let coordinator: NSPersistentStoreCoordinator
    private let context = NSManagedObjectContext(.privateQueue)

    init(hasHistory: Bool, hasFlags: Bool = true, type: String = NSSQLiteStoreType) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "TextSearch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appending(path: "Notes.store")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model(hasFlags: hasFlags))
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url,
            options: hasHistory ? [NSPersistentHistoryTrackingKey: true] : nil)
        context.persistentStoreCoordinator = coordinator
    }

    deinit {
        try? close()
        try? FileManager.default.removeItem(at: folder)
    }

    func close() throws { for store in coordinator.persistentStores { try coordinator.remove(store) } }

    var fileNames: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    func save(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try context.performAndWait {
            try body(context)
            try context.save()
        }
    }

    /// How many notes the program itself finds, by an index beside the store.
    func count(_ words: String) throws -> Int {
        try context.performAndWait { try context.search(SearchRequest(words, entityName: "Note")).count }
    }

    static func add(_ entity: String, _ values: [String: Any], _ context: NSManagedObjectContext) {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
    }

    static func model(hasFlags: Bool) -> NSManagedObjectModel {
        let (note, memo, author) = (NSEntityDescription(), NSEntityDescription(), NSEntityDescription())
        (note.name, memo.name, author.name) = ("Note", "Memo", "Author")
        note.properties = [attribute("text", isIndexed: hasFlags), attribute("hidden")]
        memo.properties = [attribute("topic", isIndexed: hasFlags)]
        author.properties = [attribute("name")]
        note.subentities = [memo]
        let model = NSManagedObjectModel()
        model.entities = [note, memo, author]
        return model
    }

    private static func attribute(_ name: String, isIndexed: Bool = false) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = .stringAttributeType
        attribute.isOptional = true
        attribute.isIndexedBySpotlight = isIndexed
        return attribute
    }
}
