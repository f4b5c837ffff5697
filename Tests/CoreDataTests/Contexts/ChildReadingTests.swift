import CoreData
import Foundation
import Testing

/// What a child sees of its parent's unsaved changes.
@Suite struct ChildReadingTests {
    let family: ContextFamily
    private var root: NSManagedObjectContext { family.root }
    private var leaf: NSManagedObjectContext { family.grandchild }

    /// The store has the books A, B, C and D of 10 to 40 pages. In the root, without saving, B is gone, C has 300
    /// pages, and E of 25 pages and F of 5 are new. A and E are of one author, who is new.
    init() throws {
        family = try ContextFamily()
        try root.event { root throws in
            for (index, title) in ["A", "B", "C", "D"].enumerated() {
                root.insertBook(title).pages = Int32(index + 1) * 10
            }
            try root.save()
            let author = Author(context: root)
            author.name = "New"
            root.delete(try root.book("B"))
            try root.book("C").pages = 300
            root.insertBook("E").pages = 25
            root.insertBook("F").pages = 5
            author.books = [try root.book("A"), try root.book("E")]
        }
    }

    private func request(
        _ format: String? = nil, by key: String = "pages", limit: Int = 0, offset: Int = 0
    ) -> NSFetchRequest<Book> {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        request.fetchLimit = limit
        request.fetchOffset = offset
        return request
    }

    private func titles(_ request: NSFetchRequest<Book>) throws -> String {
        try leaf.event { leaf throws in
            let titles = try leaf.fetch(request).map { $0.title ?? "nil" }.joined()
            #expect(try leaf.count(for: request) == titles.count)
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            ids.predicate = request.predicate
            ids.sortDescriptors = request.sortDescriptors
            ids.fetchLimit = request.fetchLimit
            ids.fetchOffset = request.fetchOffset
            ids.resultType = .managedObjectIDResultType
            let found = try leaf.fetch(ids).map { (leaf.object(with: $0) as? Book)?.title ?? "nil" }
            #expect(found.joined() == titles)
            return titles
        }
    }

    // MARK: Fetches

    @Test("A child's fetch sees its parents' unsaved changes")
    func fetchesSeeParentChanges() throws {
        #expect(try titles(request()) == "FAEDC")
        #expect(try titles(request("pages > 20")) == "EDC")
        #expect(try titles(request("pages > 20 AND pages < 100")) == "ED")
        #expect(try titles(request("author.name == 'New'")) == "AE")
        #expect(try titles(request("title == 'B'")) == "")
    }

    @Test("Limits and offsets of a child's fetch count its parents' objects")
    func limitsCountParentObjects() throws {
        #expect(try titles(request(limit: 2)) == "FA")
        #expect(try titles(request(limit: 2, offset: 1)) == "AE")
        #expect(try titles(request(offset: 3)) == "DC")
        #expect(try titles(request("pages > 7", limit: 2, offset: 2)) == "DC")
        #expect(try titles(request(limit: 3, offset: 9)) == "")
    }

    @Test("A child's own changes overlay its parents' changes")
    func ownChangesOverlayTheParents() throws {
        try leaf.event { leaf throws in
            leaf.delete(try leaf.book("A"))
            try leaf.book("F").pages = 1000
            leaf.insertBook("G").pages = 26
        }
        #expect(try titles(request()) == "EGDCF")
        #expect(try titles(request("pages < 30")) == "EG")
        #expect(try titles(request(limit: 2, offset: 1)) == "GD")
        // Neither parent knows of it.
        try family.child.event { child throws in #expect(try ContextFamily.titles(child).joined() == "ACDEF")
        }
    }

    @Test("A child's fetch without pending changes still includes its parents' changes")
    func withoutPendingChanges() throws {
        try leaf.event { leaf throws in
            leaf.insertBook("G").pages = 26
            let request = request()
            request.includesPendingChanges = false
            #expect(try leaf.fetch(request).compactMap(\.title).joined() == "FAEDC")
        }
    }

    @Test("Conditions of a child's fetch read related objects of every level")
    func conditionsReadEveryLevel() throws {
        try leaf.event { leaf throws in
            let authors = try leaf.fetch(NSFetchRequest<Author>(entityName: "Author"))
            #expect(authors.map(\.name) == ["New"])
            authors.first?.name = "Renamed"
        }
        #expect(try titles(request("author.name == 'Renamed'")) == "AE")
        #expect(try titles(request("author.name == 'New'")) == "")
        #expect(try titles(request("author.name == 'Renamed'", limit: 1, offset: 1)) == "E")
    }

    @Test("A child's dictionaries have its parents' changes and not its own")
    func dictionariesOfTheParent() throws {
        func fetch(_ change: (NSFetchRequest<NSDictionary>) -> Void) throws -> [NSDictionary] {
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            change(request)
            return try leaf.event { try $0.fetch(request) }
        }
        // The child's own changes are not stored, so they are no part of it.
        try leaf.event { leaf throws in leaf.insertBook("G").pages = 26 }
        let rows = try fetch {
            $0.propertiesToFetch = ["title", "pages", "author.name"]
            $0.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
            $0.fetchLimit = 3
            $0.fetchOffset = 1
        }
        #expect(rows.map { $0["title"] as? String } == ["D", "E", "A"])
        #expect(rows.map { $0["pages"] as? Int } == [40, 25, 10])
        #expect(rows.map { $0["author.name"] as? String } == [nil, "New", "New"])

        let sum = NSExpressionDescription()
        sum.name = "sum"
        sum.expression = NSExpression(format: "sum:(pages)")
        sum.resultType = .integer64
        #expect(try fetch { $0.propertiesToFetch = [sum] }.map { $0["sum"] as? Int } == [380])
        let groups = try fetch {
            $0.propertiesToFetch = ["author", sum]
            $0.propertiesToGroupBy = ["author"]
            $0.havingPredicate = NSPredicate(format: "sum:(pages) > 30")
            $0.sortDescriptors = [NSSortDescriptor(key: "sum", ascending: true)]
        }
        #expect(groups.map { $0["sum"] as? Int } == [35, 345])
        #expect(groups.map { ($0["author"] as? NSManagedObjectID)?.isTemporaryID } == [true, nil])
    }

    @Test("A child's dictionaries have stored values after the root saved")
    func dictionariesOfASavedParent() throws {
        try root.saveAndWait()
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["title"]
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        let titles = try leaf.event { try $0.fetch(request) }.compactMap { $0["title"] as? String }
        #expect(titles.joined() == "FAEDC")
    }

    // MARK: Objects

    @Test("Every way to find a parent's object in a child returns the same instance")
    func objectIsTheSameHoweverFound() throws {
        try leaf.event { leaf throws in
            let book = try leaf.book("E")
            #expect(book.managedObjectContext === leaf && book.objectID.isTemporaryID)
            #expect(!book.isInserted && !book.hasChanges)
            let author = try #require(book.author)
            #expect(author.books.count == 2 && author.books.contains(book))
            #expect(leaf.object(with: book.objectID) === book)
            #expect(try leaf.existingObject(with: book.objectID) === book)
            #expect(leaf.registeredObject(for: book.objectID) === book)
            #expect(try leaf.book("E") === book)
        }
    }

    @Test("A child finds its parent's unsaved objects by their temporary IDs")
    func parentObjectsByTemporaryID() throws {
        let id = try root.event { try $0.book("E").objectID }
        try leaf.event { leaf throws in
            #expect(id.isTemporaryID && leaf.registeredObject(for: id) == nil)
            let book = try #require(leaf.object(with: id) as? Book)
            #expect(book.isFault && book.title == "E" && book.author?.name == "New")
            #expect(!book.isFault)
        }
        try family.child.event { child throws in
            #expect((try child.existingObject(with: id) as? Book)?.pages == 25)
        }
    }

    @Test("An object that the parent deleted does not exist for the child")
    func objectDeletedByTheParent() throws {
        let id = try family.stack.inContext { try $0.book("B").objectID }
        try leaf.event { leaf throws in
            let error = #expect(throws: NSError.self) { try leaf.existingObject(with: id) }
            #expect(error?.code == 133000)
            let book = leaf.object(with: id)
            #expect((book as? Book)?.title == nil && book.isDeleted)
        }
    }

    @Test("A refresh in a child reads the parent's current values")
    func refreshReadsTheParent() throws {
        let (a, c) = try leaf.event { leaf throws in
            let (a, c) = (try leaf.book("A"), try leaf.book("C"))
            #expect(a.pages == 10 && c.pages == 300)
            a.title = "mine"
            return (a, c)
        }
        try root.event { root throws in
            try root.book("A").pages = 11
            try root.book("C").pages = 301
        }
        try leaf.event { leaf throws in
            #expect(a.pages == 10 && c.pages == 300)
            leaf.refresh(a, mergeChanges: true)
            leaf.refresh(c, mergeChanges: false)
            #expect(a.pages == 11 && a.title == "mine" && a.changedValues().keys.sorted() == ["title"])
            #expect(c.isFault && c.pages == 301)
            a.pages = 12
            leaf.rollback()
            #expect(a.pages == 11 && a.title == "A")
        }
    }

    @Test("A child's refetch refreshes loaded objects only when requested")
    func refetchRefreshes() throws {
        let c = try leaf.event { leaf throws in
            let c = try leaf.book("C")
            #expect(c.pages == 300)
            return c
        }
        try root.event { try $0.book("C").pages = 301 }
        try leaf.event { leaf throws in
            let request = request("title == 'C'")
            #expect(try leaf.fetch(request) == [c] && c.pages == 300)
            request.shouldRefreshRefetchedObjects = true
            #expect(try leaf.fetch(request) == [c] && c.pages == 301)
        }
    }

    @Test("A child reads the values of its parent's loaded objects")
    func loadedParentObjectsSupplyValues() throws {
        try root.saveAndWait()
        let kept = try root.event { root throws in
            let book = try root.book("D")
            #expect(book.pages == 40)
            return book
        }
        try family.stack.inContext { other throws in
            try other.book("D").pages = 41
            try other.save()
        }
        try leaf.event { context throws in #expect(try context.book("D").pages == 40) }
        try root.event { $0.refresh(kept, mergeChanges: false) }
        let another = ContextFamily.child(of: root)
        try another.event { context throws in #expect(try context.book("D").pages == 41) }
    }

    @Test("Committed values in a child are the parent's values")
    func committedValuesOfTheParent() throws {
        try leaf.event { leaf throws in
            let c = try leaf.book("C")
            c.pages = 5
            #expect(c.committedValues(forKeys: ["pages"])["pages"] as? Int == 300)
            #expect(c.changedValues().keys.sorted() == ["pages"])
            c.pages = 300
            #expect(c.changedValues().isEmpty && !c.hasPersistentChangedValues && c.isUpdated)
        }
    }

    @Test("Prefetching in a child loads the parent's destinations")
    func prefetchingLoadsParentObjects() throws {
        let stack = try TestStack()
        let root = stack.context()
        try root.event { root throws in
            for name in ["X", "Y"] {
                let author = Author(context: root)
                author.name = name
                author.books = Set((1...3).map { root.insertBook("\(name)\($0)") })
            }
            try root.save()
        }
        let reader = stack.context()
        let leaf = ContextFamily.child(of: ContextFamily.child(of: reader))
        try reader.event { reader throws in
            let request = NSFetchRequest<Author>(entityName: "Author")
            request.predicate = NSPredicate(format: "name == 'X'")
            try reader.fetch(request).first?.books.insert(reader.insertBook("X4"))
        }
        try leaf.event { leaf throws in
            let request = NSFetchRequest<Author>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.relationshipKeyPathsForPrefetching = ["books"]
            let authors = try leaf.fetch(request)
            #expect(authors.map { $0.hasFault(forRelationshipNamed: "books") } == [true, true])
            for author in authors { #expect(author.isFault) }
            #expect(authors.map { $0.books.count } == [4, 3])
            #expect(
                authors.flatMap { $0.books.compactMap(\.title) }.sorted()
                    == ["X1", "X2", "X3", "X4", "Y1", "Y2", "Y3"])
            let books = NSFetchRequest<Book>(entityName: "Book")
            books.relationshipKeyPathsForPrefetching = ["author"]
            #expect(Set(try leaf.fetch(books).compactMap { $0.author?.name }) == ["X", "Y"])
        }
    }

    @Test("A fetched property in a child has objects of both contexts")
    func fetchedPropertiesOfTheChild() throws {
        let volume = NSEntityDescription("Volume", attribute("title", .string), attribute("shelf", .string))
        let shelf = NSEntityDescription("Board", attribute("name", .string))
        let fetched = NSFetchedPropertyDescription()
        fetched.name = "volumes"
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = volume
        request.predicate = NSPredicate(format: "shelf == $FETCH_SOURCE.name")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        fetched.fetchRequest = request
        shelf.add(fetched)
        let family = try ContextFamily(NSManagedObjectModel(of: volume, shelf))
        try family.root.event { root throws in
            _ = try root.insert("Board", ["name": "low"])
            _ = try root.insert("Volume", ["title": "1", "shelf": "low"])
        }
        try family.child.event { _ = try $0.insert("Volume", ["title": "2", "shelf": "low"]) }
        try family.child.event { child throws in
            let board = try #require(
                try child.fetch(NSFetchRequest<NSManagedObject>(entityName: "Board")).first)
            let volumes = try #require(board.value(forKey: "volumes") as? [NSManagedObject])
            #expect(volumes.map { $0.value(forKey: "title") as? String } == ["1", "2"])
            #expect(volumes.allSatisfy { $0.managedObjectContext === child })
        }
    }
}
