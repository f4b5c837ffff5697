import CoreData
import Testing

/// Containers of a program's own.
@Suite struct ContainerSubclassTests {
    private class Shelf: NSPersistentContainer, @unchecked Sendable {
        static let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Shelf")

        override class func defaultDirectoryURL() -> URL { folder }

        override init(name: String, managedObjectModel model: NSManagedObjectModel) {
            super.init(name: name + "2", managedObjectModel: model)
        }

        convenience init() { self.init(name: "Books", managedObjectModel: Library.model()) }
    }

    private final class TitledShelf: Shelf, @unchecked Sendable {
        let title: String

        init(title: String) {
            self.title = title
            super.init(name: title, managedObjectModel: Library.model())
        }
    }

    @Test("A container subclass's overridden initializer runs")
    func overriddenInitializerRuns() {
        #expect(Shelf().name == "Books2")
        #expect(Shelf(name: "Lists", managedObjectModel: Library.model()).name == "Lists2")
        let titled = TitledShelf(title: "Novels")
        #expect(titled.name == "Novels2" && titled.title == "Novels")
        #expect(titled.viewContext.persistentStoreCoordinator === titled.persistentStoreCoordinator)
    }

    @Test("A container subclass's default directory is where its stores are")
    func subclassDirectory() {
        #expect(Shelf.defaultDirectoryURL == Shelf.folder)
        #expect(
            Shelf().persistentStoreDescriptions.map(\.url) == [
                Shelf.folder.appendingPathComponent("Books2.sqlite")
            ])
        let folder: URL = NSPersistentContainer.defaultDirectoryURL
        #expect(folder == NSPersistentContainer.defaultDirectoryURL() && folder != Shelf.folder)
    }
}
