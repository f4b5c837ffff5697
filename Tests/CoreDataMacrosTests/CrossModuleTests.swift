import CoreDataMacros
import MacroTestLibrary
import Testing

/// A subclass of a class in another module.
@ManagedObject
class LibraryBook: LibraryItem {
    @Managed var pageCount: Int16

    override var title: String? {
        get { super.title?.uppercased() }
        set { super.title = newValue }
    }

    override var label: String { "Book " + super.label }

    override class func keyPathsForValuesAffectingLabel() -> Set<String> {
        super.keyPathsForValuesAffectingLabel().union(["pageCount"])
    }

    override func validateTitle(_ value: inout String?) throws {
        try super.validateTitle(&value)
        value = value?.trimmingCharacters(in: .whitespaces)
    }
}

/// A subclass of a subclass that declares nothing and could have subclasses.
@ManagedObject
class LibraryComic: LibraryBook {}

/// A subclass without the macro.
final class LibraryManga: LibraryComic {}

@Suite struct CrossModuleTests {
    @Test("Attributes and relationships of a superclass in another module work")
    func valuesAndRelationshipsWorkInAnotherModule() throws {
        try inLibrary { context in
            let book = LibraryBook(context: context)
            book.title = "Emma"
            book.shelf = 12
            book.pageCount = 474
            book.lend()
            let reader = LibraryReader(context: context)
            book.addToReaders(reader)
            #expect(reader.items == [book])
            book.removeFromReaders(reader)
            #expect(reader.items.isEmpty)
            try context.save()
            #expect(book.borrowings == 1)
            #expect(book.primitiveValue(forKey: "title") as? String == "Emma")
        }
    }

    @Test("Key-value coding calls the accessor that a subclass overrides")
    func keyValueCodingCallsTheOverride() throws {
        try inLibrary { context in
            let book = LibraryBook(context: context)
            book.setValue("Emma", forKey: "title")
            book.shelf = 12
            #expect(book.value(forKey: "title") as? String == "EMMA")
            #expect(book.value(forKey: "label") as? String == "Book EMMA on 12")
            let item = LibraryItem(context: context)
            item.title = "Emma"
            #expect(item.value(forKey: "title") as? String == "Emma")
        }
    }

    @Test("Dependencies and validators of a subclass are those that it overrides")
    func overridesOfASubclassCount() throws {
        #expect(LibraryItem.keyPathsForValuesAffectingValue(forKey: "label") == ["title", "shelf"])
        #expect(
            LibraryComic.keyPathsForValuesAffectingValue(forKey: "label") == ["title", "shelf", "pageCount"])
        try inLibrary { context in
            let comic = LibraryComic(context: context)
            comic.title = " Maus "
            try context.save()
            #expect(comic.title == "MAUS")
            comic.title = ""
            #expect(throws: LibraryError.untitled) { try context.save() }
        }
    }

    @Test("Key paths of every subclass have names")
    func keyPathsOfEverySubclassHaveNames() {
        #expect(NSSortDescriptor(keyPath: \LibraryItem.title, ascending: true).key == "title")
        #expect(NSSortDescriptor(keyPath: \LibraryBook.title, ascending: true).key == "title")
        #expect(NSSortDescriptor(keyPath: \LibraryBook.shelf, ascending: true).key == "shelf")
        #expect(NSSortDescriptor(keyPath: \LibraryBook.label, ascending: true).key == "label")
        #expect(NSSortDescriptor(keyPath: \LibraryComic.title, ascending: true).key == "title")
        #expect(NSSortDescriptor(keyPath: \LibraryComic.pageCount, ascending: true).key == "pageCount")
        #expect(NSSortDescriptor(keyPath: \LibraryReader.name, ascending: true).key == "name")
    }

    @Test("A subclass without the macro has what it inherits")
    func aSubclassWithoutTheMacro() throws {
        try inLibrary { context in
            let manga = LibraryManga(context: context)
            manga.title = "Akira"
            #expect(manga.value(forKey: "title") as? String == "AKIRA")
            var reported = 0
            // `\LibraryManga.pageCount` would be another key path, and without the macro it has no name.
            let observation = (manga as LibraryComic).observe(\.pageCount) { _, _ in reported += 1 }
            manga.pageCount = 7
            #expect(reported == 1)
            observation.invalidate()
        }
    }

    @Test("Observers of a subclass are notified of computed properties")
    func observersOfASubclass() throws {
        try inLibrary { context in
            let comic = LibraryComic(context: context)
            var labels: [String] = []
            let observation = comic.observe(\.label, options: [.new]) { _, change in
                labels.append(change.newValue ?? "none")
            }
            comic.title = "Maus"
            comic.shelf = 3
            #expect(labels == ["Book MAUS on ?", "Book MAUS on 3"])
            observation.invalidate()
        }
    }

    /// Runs a block in a context with a store of its own.
    private func inLibrary(_ body: (NSManagedObjectContext) throws -> Void) throws {
        NSManagedObjectModel.register(
            LibraryItem.self, LibraryReader.self, LibraryBook.self, LibraryComic.self, LibraryManga.self)
        try TestStack(Self.model()).inContext(body)
    }

    private static func model() -> NSManagedObjectModel {
        let item = TestModel.entity("LibraryItem")
        let book = TestModel.entity("LibraryBook")
        let comic = TestModel.entity("LibraryComic")
        let manga = TestModel.entity("LibraryManga")
        let reader = TestModel.entity("LibraryReader")
        let (readers, items) = TestModel.relationship("readers", to: reader, inverse: "items", to: item)
        items.maxCount = 0
        item.properties = [
            TestModel.attribute("title", .string), TestModel.attribute("shelf", .integer32),
            TestModel.attribute("borrowings", .integer64), TestModel.attribute("code", .string), readers,
        ]
        book.properties = [TestModel.attribute("pageCount", .integer16)]
        reader.properties = [TestModel.attribute("name", .string), items]
        item.subentities = [book]
        book.subentities = [comic]
        comic.subentities = [manga]
        let model = NSManagedObjectModel()
        model.entities = [item, book, comic, manga, reader]
        return model
    }
}
