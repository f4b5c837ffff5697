import CoreData
import Testing

/// Transient attributes: tracked like any other, and never stored.
@Suite struct TransientAttributeTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription(
            "Book", attribute("title", .string), Library.transient("note", .string),
            Library.transient("score", .integer64, defaultValue: 7),
            Library.transient("anything", .undefined),
            Library.transient("owner", .objectID)))

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Book", ["title": "Emma"])
            try context.save()
        }
    }

    /// A model of one transient attribute of each type, and a value for each.
    private static var values: [(NSAttributeDescription.AttributeType, Any)] {
        [
            (.integer16, Int16(3)), (.integer32, Int32(4)), (.integer64, Int64(5)),
            (.decimal, NSDecimalNumber(string: "1.5")),
            (.double, 2.5), (.float, Float(1.25)), (.string, "text"), (.boolean, true),
            (.date, Date(timeIntervalSinceReferenceDate: 1)),
            (.binaryData, Data([1])), (.uuid, UUID()), (.uri, URL(fileURLWithPath: "/tmp")),
            (.transformable, [1, 2] as NSArray),
            (.undefined, 3...5), (.objectID, "an ID"),
        ]
    }

    @Test("Transient attributes hold values of every type and are not stored")
    func everyType() throws {
        let thing = NSEntityDescription("Thing")
        let values = Self.values
        for (index, value) in values.enumerated() { thing.add(Library.transient("t\(index)", value.0)) }
        let pair = composite("pair", attribute("half", .string))
        pair.isTransient = true
        thing.add(pair)
        let folder = try StoreFolder()
        try folder.open(NSManagedObjectModel(of: thing)).inContext { context in
            let object = try context.insert("Thing")
            for (index, value) in values.enumerated() { object.setValue(value.1, forKey: "t\(index)") }
            object.setValue(["half": "a"], forKey: "pair")
            try context.save()
            for (index, value) in values.enumerated() {
                let held = try #require(object.value(forKey: "t\(index)"))
                #expect("\(held)" == "\(value.1)" || held as? NSObject == value.1 as? NSObject, "\(value)")
            }
            #expect(object.value(forKey: "t13") as? ClosedRange<Int> == 3...5)
            #expect((object.value(forKey: "pair") as? [String: Any])?["half"] as? String == "a")
            #expect(!object.hasChanges)
        }
        #expect(
            try folder.schema()["ZTHING"]
                == "CREATE TABLE ZTHING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )")
    }

    @Test("A value of a wrong type is refused")
    func wrongType() throws {
        try coordinator.inContext { context in
            let book = try context.only("Book")
            let refusal = try error { try book.setValue(checking: "ten", forKey: "score") }
            #expect(refusal.code == 1550)
        }
    }

    @Test("A transient change marks the object and writes nothing")
    func changeIsTracked() throws {
        let before = try folder.rows("SELECT Z_PK, Z_OPT, ZTITLE FROM ZBOOK")
        try coordinator.inContext { context in
            let book = try context.only("Book")
            #expect(book.value(forKey: "note") == nil)
            book.setValue("look", forKey: "note")
            #expect(book.hasChanges && book.isUpdated && context.hasChanges)
            #expect(context.updatedObjects == [book])
            #expect(book.changedValues().isEmpty)
            #expect(book.changedValuesForCurrentEvent().isEmpty)
            #expect(!book.hasPersistentChangedValues)
            try context.save()
            #expect(!book.hasChanges && !context.hasChanges)
            #expect(book.value(forKey: "note") as? String == "look")
        }
        #expect(try folder.rows("SELECT Z_PK, Z_OPT, ZTITLE FROM ZBOOK") == before)
        try coordinator.inContext { context in
            let book = try context.only("Book")
            #expect(book.value(forKey: "note") == nil)
        }
    }

    @Test("Committed values leave out transient attributes")
    func committedValues() throws {
        try coordinator.inContext { context in
            let book = try context.only("Book")
            book.setValue("look", forKey: "note")
            #expect(book.committedValues(forKeys: nil).keys.sorted() == ["title"])
        }
    }

    @Test("Loaded objects begin with the default of a transient attribute")
    func defaultValues() throws {
        try coordinator.inContext { context in
            let book = try context.insert("Book")
            #expect(book.value(forKey: "score") as? Int == 7)
        }
        try coordinator.inContext { context in
            let book = try context.only("Book")
            #expect(book.value(forKey: "score") as? Int == 7)
            #expect(!book.hasChanges)
            book.setValue(nil, forKey: "score")
            #expect(book.value(forKey: "score") == nil)
        }
    }

    @Test("Transient changes can be undone and redone")
    func undoAndRedo() throws {
        try coordinator.inContext { context in
            let undoManager = UndoManager()
            undoManager.groupsByEvent = false
            context.undoManager = undoManager
            let book = try context.only("Book")
            undoManager.beginUndoGrouping()
            book.setValue("look", forKey: "note")
            context.processPendingChanges()
            undoManager.endUndoGrouping()
            undoManager.undo()
            #expect(book.value(forKey: "note") == nil)
            undoManager.redo()
            #expect(book.value(forKey: "note") as? String == "look")
        }
    }

    @Test("A refresh without merging restores transient defaults")
    func refreshClearsThem() throws {
        try coordinator.inContext { context in
            let book = try context.only("Book")
            book.setValue("look", forKey: "note")
            book.setValue(99, forKey: "score")
            context.refresh(book, mergeChanges: false)
            #expect(book.isFault && !context.hasChanges)
            #expect(book.value(forKey: "note") == nil)
            #expect(book.value(forKey: "score") as? Int == 7)
        }
    }

    @Test("A refresh with merging keeps transient values")
    func mergingRefreshKeepsThem() throws {
        try coordinator.inContext { context in
            let book = try context.only("Book")
            book.setValue("look", forKey: "note")
            try folder.execute("UPDATE ZBOOK SET ZTITLE = 'Persuasion', Z_OPT = 2")
            context.refresh(book, mergeChanges: true)
            #expect(book.value(forKey: "note") as? String == "look")
            #expect(book.value(forKey: "title") as? String == "Persuasion")
        }
    }

    @Test("refreshAllObjects() restores transient defaults")
    func refreshAllClearsThem() throws {
        try coordinator.inContext { context in
            let book = try context.only("Book")
            let other = try context.insert("Book", ["title": "Changed"])
            try context.save()
            book.setValue("look", forKey: "note")
            other.setValue("there", forKey: "note")
            other.setValue("Pending", forKey: "title")
            context.refreshAllObjects()
            #expect(book.value(forKey: "note") == nil)
            #expect(book.value(forKey: "score") as? Int == 7)
            #expect(other.value(forKey: "note") == nil)
            #expect(other.value(forKey: "title") as? String == "Pending")
        }
    }

    @Test("A rollback restores transient defaults")
    func rollbackClearsThem() throws {
        try coordinator.inContext { context in
            let book = try context.only("Book")
            book.setValue("look", forKey: "note")
            context.rollback()
            #expect(book.value(forKey: "note") == nil)
            #expect(!context.hasChanges)
        }
    }

    @Test("Merging another context's save keeps transient values")
    func mergeKeepsThem() throws {
        try coordinator.inContext { context in
            let book = try context.only("Book")
            book.setValue("look", forKey: "note")
            let id = book.objectID
            let other = coordinator.context()
            let posted = try other.performAndWait {
                try other.existingObject(with: id).setValue("Persuasion", forKey: "title")
                try other.save()
                return Notification(
                    name: .NSManagedObjectContextDidSaveObjectIDs, object: other,
                    userInfo: [NSUpdatedObjectIDsKey: Set([id])])
            }
            context.mergeChanges(fromContextDidSave: posted)
            #expect(book.value(forKey: "title") as? String == "Persuasion")
            #expect(book.value(forKey: "note") as? String == "look")
        }
    }

    // MARK: In fetches

    @Test(
        "A fetch by a transient attribute is an error that names it",
        arguments: ["note", "score", "anything"])
    func fetchByATransientAttribute(_ key: String) throws {
        try coordinator.inContext { context in
            for request in [
                request(where: NSPredicate(format: "%K == 'x'", key)),
                request(where: NSPredicate(format: "title != nil AND NOT (%K == nil)", key)),
                request(sortedBy: key),
            ] {
                let found = try error { _ = try context.fetch(request) }
                #expect(found.localizedDescription.contains("'\(key)' is transient"))
                #expect(found.localizedDescription.contains("Book"))
            }
            let condition = request(where: NSPredicate(format: "%K == nil", key))
            let found = try error { _ = try context.count(for: condition) }
            #expect(found.localizedDescription.contains("'\(key)' is transient"))
        }
    }

    private func request(
        where condition: NSPredicate? = nil, sortedBy key: String? = nil
    ) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = condition
        request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
        return request
    }

    @Test("A predicate evaluated in memory may use a transient attribute")
    func predicateInMemory() throws {
        try coordinator.inContext { context in
            let book = try context.only("Book")
            book.setValue("look", forKey: "note")
            #expect(NSPredicate(format: "note == 'look'").evaluate(with: book))
        }
    }
}
