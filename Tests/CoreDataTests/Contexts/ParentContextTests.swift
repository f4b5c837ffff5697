import CoreData
import Foundation
import Testing

/// A context, a child of it and a child of that, over one store.
struct ContextFamily {
    let stack: TestStack
    let root: NSManagedObjectContext
    let child: NSManagedObjectContext
    let grandchild: NSManagedObjectContext

    init(_ model: NSManagedObjectModel = Library.model()) throws {
        stack = try TestStack(model)
        root = stack.context()
        child = Self.child(of: root)
        grandchild = Self.child(of: child)
    }

    static func child(
        of parent: NSManagedObjectContext, _ type: NSManagedObjectContext.ConcurrencyType = .privateQueue
    ) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(type)
        child.parent = parent
        return child
    }

    /// The titles of all books in the store, in order.
    func storedTitles() throws -> [String] { try stack.inContext { try Self.titles($0) } }

    /// The titles of all books that a context finds, in order.
    static func titles(_ context: NSManagedObjectContext) throws -> [String] {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try context.fetch(request).map { $0.title ?? "nil" }
    }
}

extension NSManagedObjectContext {
    /// Runs an event on the context's queue.
    @discardableResult
    func event<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        try performAndWait { () throws in try body(self) }
    }

    /// Saves on the context's queue.
    func saveAndWait() throws { try performAndWait { try save() } }

    /// Inserts a book.
    @discardableResult
    func insertBook(_ title: String) -> Book {
        let book = Book(context: self)
        book.title = title
        return book
    }
}

/// Making children, and the way of an object through them.
@Suite struct ParentContextTests {
    let family: ContextFamily

    init() throws { family = try ContextFamily() }

    @Test("A child has its parent and the family's coordinator")
    func childKnowsItsParent() {
        #expect(family.child.parent === family.root && family.root.parent == nil)
        #expect(family.grandchild.parent === family.child)
        #expect(family.grandchild.persistentStoreCoordinator === family.stack.coordinator)
    }

    @Test("A chain of contexts can be made from the lowest context upwards")
    func chainFromBelow() throws {
        let (middle, leaf) = (NSManagedObjectContext(.privateQueue), NSManagedObjectContext(.privateQueue))
        leaf.parent = middle
        middle.parent = family.root
        let book = try leaf.performAndWait {
            let book = leaf.insertBook("from below")
            try leaf.save()
            return book
        }
        try middle.saveAndWait()
        try family.root.saveAndWait()
        leaf.performAndWait {
            #expect(!book.objectID.isTemporaryID)
            #expect(leaf.registeredObject(for: book.objectID) === book)
        }
    }

    @Test("Each save moves changes up one level")
    func savesGoUpOneLevel() throws {
        try family.grandchild.performAndWait {
            family.grandchild.insertBook("new")
            try family.grandchild.save()
            #expect(!family.grandchild.hasChanges)
        }
        try family.root.performAndWait { () throws in #expect(try ContextFamily.titles(family.root) == []) }
        try family.child.performAndWait {
            #expect(try ContextFamily.titles(family.child) == ["new"])
            #expect(family.child.insertedObjects.count == 1)
            try family.child.save()
            #expect(!family.child.hasChanges)
        }
        #expect(try family.storedTitles() == [])
        try family.root.performAndWait {
            #expect(try ContextFamily.titles(family.root) == ["new"])
            #expect(family.root.insertedObjects.count == 1)
            try family.root.save()
        }
        #expect(try family.storedTitles() == ["new"])
        for context in [family.child, family.grandchild] {
            try context.performAndWait { () throws in #expect(try ContextFamily.titles(context) == ["new"]) }
        }
    }

    @Test("A child retains its parent")
    func childRetainsItsParent() throws {
        weak var parent: NSManagedObjectContext?
        let leaf = NSManagedObjectContext(.privateQueue)
        try {
            let context = family.stack.context()
            parent = context
            leaf.parent = context
            try context.performAndWait {
                context.insertBook("kept")
                try context.save()
            }
        }()
        #expect(parent != nil)
        try leaf.performAndWait { () throws in #expect(try ContextFamily.titles(leaf) == ["kept"]) }
    }

    @Test("A cycle of parents stops the process")
    func parentCycleStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (a, b) = (NSManagedObjectContext(.privateQueue), NSManagedObjectContext(.privateQueue))
            a.parent = b
            b.parent = a
        }
        #expect(
            result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }?
                .contains("A context cannot be its own parent") == true)
    }

    @Test("Setting the parent of a context that has objects stops the process")
    func contextWithObjectsGetsNoParent() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let stack = try TestStack()
            let context = NSManagedObjectContext(.privateQueue)
            let entity = try #require(stack.coordinator.managedObjectModel.entitiesByName["Book"])
            let book = context.performAndWait { Book(entity: entity, insertInto: context) }
            context.parent = stack.context()
            _ = book
        }
        #expect(
            result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }?
                .contains("or has objects.") == true)
    }

    @Test("Setting the parent of a context that has a coordinator stops the process")
    func coordinatorOrParent() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let stack = try TestStack()
            let context = stack.context()
            context.parent = stack.context()
        }
        #expect(
            result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }?
                .contains("has a coordinator already") == true)
    }
}
