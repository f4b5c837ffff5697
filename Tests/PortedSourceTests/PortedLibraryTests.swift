import CoreData
import Testing

/// The sources in `AppleSources` are those of an app for Apple's platforms, as they are. Here they run.
@MainActor @Suite struct PortedLibraryTests {
    private let library: LibraryStack
    private var context: NSManagedObjectContext { library.container.viewContext }

    init() throws { library = try LibraryStack() }

    @Test("Key paths over a relationship have names")
    func keyPathsOverRelationships() {
        #expect(NSSortDescriptor(keyPath: \Link.book?.title, ascending: true).key == "book.title")
        #expect(NSSortDescriptor(keyPath: \Link.book.subtitle, ascending: true).key == "book.subtitle")
        #expect(NSExpression(forKeyPath: \Page.book?.title).keyPath == "book.title")
    }

    @Test("Scalars, optional values and default values are saved and read")
    func scalarsOptionalsAndDefaultsAreKept() throws {
        let book = Book(title: "Emil", pages: 2, context: context)
        book.isLent = true
        book.pageCount = 128
        book.rating = 4.5
        book.price = NSDecimalNumber(string: "9.90")
        book.weight = NSNumber(value: 0.25)
        book.subtitle = "a novel"
        book.conditionValue = .worn
        book.cover = NSArray(array: ["red", "blue"])
        try context.save()
        context.refresh(book, mergeChanges: false)

        #expect(book.title == "Emil")
        #expect(book.subtitle == "a novel")
        #expect(book.isLent)
        #expect(book.pageCount == 128)
        #expect(book.rating == 4.5)
        #expect(book.price == NSDecimalNumber(string: "9.90"))
        #expect(book.weight == NSNumber(value: 0.25))
        #expect(book.conditionValue == .worn)
        #expect(book.value(forKey: "conditionValue") as? Int == 1)
        #expect(book.cover == NSArray(array: ["red", "blue"]))
        #expect(book.identifier != nil)
        #expect(book.acquired == Date(timeIntervalSinceReferenceDate: 0))
        #expect(book.saveCount == 1)
    }

    @Test("The initializer of a class runs for every new object")
    func theInitializerOfTheClassRuns() throws {
        let before = Book.made
        _ = Book(context: context)
        _ = try #require(
            NSEntityDescription.insertNewObject(forEntityName: "GraphicNovel", into: context) as? GraphicNovel
        )
        #expect(Book.made >= before + 2)
    }

    @Test("Accessors of an ordered relationship insert, remove and replace")
    func orderedPagesMove() throws {
        let book = Book(title: "Emil", pages: 3, context: context)
        let more = (10..<13).map { number in
            let page = Page(context: context)
            page.number = Int32(number)
            return page
        }
        book.insertIntoPages(more[0], at: 1)
        #expect(numbers(book) == [0, 10, 1, 2])
        book.removeFromPages(at: 0)
        book.replacePages(at: 0, with: more[1])
        #expect(numbers(book) == [11, 1, 2])
        book.insertIntoPages([more[0], more[2]], at: NSIndexSet(indexSet: [0, 4]))
        #expect(numbers(book) == [10, 11, 1, 2, 12])
        book.removeFromPages(at: NSIndexSet(indexSet: [1, 2]))
        #expect(numbers(book) == [10, 2, 12])
        book.replacePages(at: NSIndexSet(indexSet: [0]), with: [more[1]])
        book.removeFromPages(more[2])
        book.addToPages(NSOrderedSet(array: [more[0], more[2]]))
        #expect(numbers(book) == [11, 2, 10, 12])
        book.removeFromPages(NSOrderedSet(array: [more[1], more[2]]))
        #expect(numbers(book) == [2, 10])
        #expect(more[0].book === book)
        #expect(more[2].book == nil)
    }

    @Test("Accessors of unordered relationships in every form add and remove")
    func unorderedSetsOfEveryShapeChange() throws {
        let book = Book(title: "Emil", context: context)
        let people = (0..<3).map { _ in PersonObject(context: context) }
        book.addToAuthors(people[0])
        book.addToAuthors(NSSet(array: [people[1], people[2]]))
        book.removeFromAuthors(people[0])
        book.removeFromAuthors(NSSet(object: people[2]))
        #expect(book.authors == NSSet(object: people[1]))
        #expect(people[1].books == [book])

        let links = (0..<3).map { _ in Link(context: context) }
        book.addURLsObject(links[0])
        book.addURLs([links[1], links[2]])
        book.removeURLsObject(links[1])
        #expect(book.URLs == [links[0], links[2]])
        #expect(links[0].book === book)
    }

    @Test("Key-value coding calls custom accessors")
    func ownAccessorsAreCalledByName() throws {
        let book = Book(title: "Emil", context: context)
        let noon = Date(timeIntervalSinceReferenceDate: 43_200 + 86_400 * 365)
        book.setValue(noon, forKey: "publishDate")
        let midnight = Calendar(identifier: .gregorian).startOfDay(for: noon)
        #expect(book.publishDate == midnight)
        #expect(book.value(forKey: "publishDate") as? Date == midnight)
        #expect(book.primitiveValue(forKey: "publishDate") as? Date == midnight)
        #expect(book.value(forKey: "section") as? String == "E")
        #expect(book.value(forKey: "summary") as? String == "Emil (0), good")
        #expect(
            try library.all(Book.self, where: NSPredicate(format: "publishDate == %@", midnight as NSDate))
                .isEmpty == false)
    }

    @Test("Subclasses have properties, key path names and dependencies of their superclasses")
    func subclassesHaveWhatTheyInherit() throws {
        let novel = GraphicNovel(context: context)
        novel.title = "maus"
        novel.genre = 3
        novel.illustrator = "Art"
        #expect(novel.value(forKey: "summary") as? String == "novel: maus (0), good")
        #expect(novel.value(forKey: "credit") as? String == "M:Art")
        #expect(NSSortDescriptor(keyPath: \GraphicNovel.title, ascending: true).key == "title")
        #expect(NSSortDescriptor(keyPath: \Novel.section, ascending: true).key == "section")
        #expect(GraphicNovel.keyPathsForValuesAffectingValue(forKey: "credit") == ["section", "illustrator"])
        #expect(GraphicNovel.keyPathsForValuesAffectingValue(forKey: "section") == ["title"])
        #expect(
            Book.keyPathsForValuesAffectingValue(forKey: "summary") == [
                "title", "pageCount", "conditionValue",
            ])
        try context.save()
        #expect(try library.all(Novel.self).map(\.genre) == [3])
    }

    @Test("A class is found by its Objective-C name in the model")
    func theModelsNameOfAClassLeadsToIt() throws {
        let entity = try #require(library.container.managedObjectModel.entitiesByName["Person"])
        #expect(entity.managedObjectClassName == "Person")
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        #expect(type(of: person) == PersonObject.self)
        #expect(PersonObject.entity().name == "Person")
    }

    @Test("Validators refuse and replace values")
    func validatorsRefuseAndReplace() throws {
        let book = Book(title: "  Emil ", context: context)
        try context.save()
        #expect(book.title == "Emil")

        book.title = "   "
        #expect(throws: LibraryError.emptyTitle) { try book.validateForUpdate() }
        book.title = "Emil"
        book.pageCount = -3
        #expect(throws: LibraryError.negativePages(-3)) { try book.validateForUpdate() }
    }

    @Test("Key path and selector expressions give strings")
    func keyPathsAreStrings() throws {
        #expect(PersonObject.cityPath == "address.city")
        #expect(PersonObject.neighboursPath == "address.residents.lastName")
        #expect(PersonObject.numberPath == "address.isbnPrefix")
        #expect(LibraryStack.titleGetter == "title")
        #expect(LibraryStack.titleSetter == "setTitle:")
    }

    @Test("Renamed properties and members of an exposed class are found by key")
    func aRenamedPropertyAndAllMembersOfAClassAreFoundByName() throws {
        let address = Address(context: context)
        address.publisherNumber = "3-7915"
        address.city = "Berlin"
        #expect(address.value(forKey: "isbnPrefix") as? String == "3-7915")
        #expect(address.value(forKey: "line") as? String == "in Berlin")
        address.setValue("new", forKey: "note")
        #expect(address.note == "new")
    }

    @Test("Requests with key paths and selectors fetch and sort")
    func requestsWithKeyPathsAndSelectorsFetch() throws {
        let home = Address(context: context)
        home.city = "Berlin"
        for name in ["b 10", "B 9", "a"] {
            let person = library.make(PersonObject.self)
            person.lastName = name
            person.address = home
        }
        library.make(PersonObject.self).lastName = "c"
        try context.save()
        let found = try context.fetch(library.byCity("Berlin")).compactMap { ($0 as? PersonObject)?.lastName }
        #expect(found == ["b 10", "a", "B 9"])
        let all = try library.all(PersonObject.self, by: "lastName").compactMap(\.lastName)
        #expect(all == ["a", "B 9", "b 10", "c"])
    }

    @Test("An expression sums in the store")
    func expressionsSumInTheStore() throws {
        for count in [100, 20, 0] as [Int32] { Book(title: "Emil", context: context).pageCount = count }
        try context.save()
        #expect(try library.pages() == 120)
    }

    @Test("Observers by method and by key path are notified")
    func observersByMethodAndByKeyPathAreNotified() throws {
        let book = Book(title: "Emil", context: context)
        let watcher = TitleWatcher(book)
        var sections: [String] = []
        let observation = book.observe(\.section, options: [.new]) { _, change in
            sections.append(change.newValue ?? "nil")
        }
        book.title = "Lotte"
        book.title = "Pünktchen"
        observation.invalidate()
        #expect(watcher.titles == ["Lotte", "Pünktchen"])
        #expect(sections == ["L", "P"])
    }

    @Test("Protocol extensions of managed objects insert, fetch and find")
    func protocolsOverManagedObjectsWork() throws {
        for number in [1, 3, 2] as [Int32] { (context.insertObject() as Page).number = number }
        #expect(context.saveOrRollback())
        #expect(Page.fetch(in: context) { $0.predicate = NSPredicate(format: "number > 1") }.count == 2)
        // A context does not retain objects without changes.
        let pages = try context.fetch(Page.sortedFetchRequest)
        #expect(pages.map(\.number) == [3, 2, 1])
        let two = NSPredicate(format: "%K == 2", "number")
        #expect(Page.findOrCreate(in: context, matching: two) { _ in Issue.record("made") } === pages[1])
        let four = Page.findOrCreate(in: context, matching: NSPredicate(value: false)) { $0.number = 4 }
        #expect(four.number == 4)
    }

    @Test("A fetched results controller notifies its delegate")
    func aResultsControllerNotifiesItsDelegate() throws {
        let list = PageListController(context: context)
        try list.fetchedResultsController.performFetch()
        let page = Page(context: context)
        context.processPendingChanges()
        context.delete(page)
        context.processPendingChanges()
        #expect(list.changes == ["will", "insert 0", "did", "will", "delete 0", "did"])
    }

    @Test("Objects are decoded into a context")
    func objectsAreDecodedIntoAContext() throws {
        let decoder = JSONDecoder()
        decoder.userInfo[.context] = context
        let text = #"{"addresses": [{"city": "Berlin"}, {"city": "Dresden"}]}"#
        let list = try decoder.decode(AddressList.self, from: Data(text.utf8))
        #expect(list.addresses.map(\.city) == ["Berlin", "Dresden"])
        #expect(context.insertedObjects.count == 2)
    }

    @Test("Properties under conditions are registered")
    func propertiesUnderConditionsAreRegistered() throws {
        let shelf = Shelf(context: context)
        shelf.label = "A"
        shelf.width = 80
        #expect(shelf.value(forKey: "sign") as? String == "# A")
        #expect(NSSortDescriptor(keyPath: \Shelf.label, ascending: true).key == "label")
        #expect(NSSortDescriptor(keyPath: \Shelf.width, ascending: true).key == "width")
        #expect(NSSortDescriptor(keyPath: \Drawer.name, ascending: true).key == "name")
        #expect(NSSortDescriptor(keyPath: \Drawer.depth, ascending: true).key == "depth")
    }

    @Test("Transformable properties of any type keep their values")
    func transformedValuesOfAnyTypeAreKept() throws {
        let shelf = Shelf(context: context)
        let link = try #require(NSURL(string: "https://example.org"))
        shelf.extra = ["a", "b"]
        shelf.link = link
        #expect(shelf.extra as? [String] == ["a", "b"])
        #expect(shelf.link == link)
        #expect(shelf.place == nil)
    }

    @Test("A property outside of the model notifies observers, and is not a change")
    func aPropertyOutsideTheModelNotifiesObservers() throws {
        let shelf = Shelf(context: context)
        var changes: [Int] = []
        let observation = shelf.observe(\.selection, options: [.new]) { _, change in
            changes.append(change.newValue ?? -1)
        }
        shelf.selection = 3
        shelf.setValue(4, forKey: "selection")
        observation.invalidate()
        shelf.selection = 5
        #expect(changes == [3, 4])
        #expect(shelf.changedValues().isEmpty)
    }

    @Test("Nested classes may have subclasses")
    func nestedClassesHaveSubclasses() throws {
        let lectern = Office.Lectern(context: context)
        lectern.number = 7
        lectern.height = 120
        #expect(lectern.value(forKey: "title") as? String == "desk 7")
        #expect(lectern.value(forKey: "note") as? String == "height height")
        #expect(NSSortDescriptor(keyPath: \Office.Lectern.height, ascending: true).key == "height")
        #expect(Office.Desk.keyPathsForValuesAffectingValue(forKey: "title") == ["number"])
        #expect(Office.Lectern.keyPathsForValuesAffectingValue(forKey: "note") == ["height"])
        #expect(
            NSEntityDescription.insertNewObject(forEntityName: "HighDesk", into: context) is Office.HighDesk)
        lectern.number = 13
        #expect(throws: LibraryError.negativePages(13)) { try lectern.validateForInsert() }
        lectern.number = 7
        try lectern.validateForInsert()
    }

    @Test("Private members of another file are registered")
    func membersThatOnlyAnotherFileSeesAreRegistered() throws {
        let lectern = Office.Lectern(context: context)
        lectern.setValue("ABC", forKey: "sortKey")
        #expect(lectern.value(forKey: "upper") as? String == "ABC")
        #expect(lectern.value(forKey: "wood") as? String == "oak")
        #expect(Office.Desk.bySortKey.key == "sortKey")
        #expect(Office.Desk.keyPathsForValuesAffectingValue(forKey: "upper") == ["sortKey"])
        var value: Any? = "ABC"
        try lectern.validateValue(&value, forKey: "sortKey")
        #expect(value as? String == "abc" || value as? NSString == "abc")
    }

    private func numbers(_ book: Book) -> [Int] {
        (book.pages?.array as? [Page] ?? []).map { Int($0.number) }
    }
}
