import CoreData
import GRDB
import Testing

/// Saves that violate uniqueness constraints: what is a violation, and what the error policy makes of it.
@Suite struct UniquenessTests {
    private static let model: NSManagedObjectModel = {
        let novel = NSEntityDescription("Novel", attribute("genre", .string))
        let book = NSEntityDescription(
            "Book", attribute("isbn", .string), attribute("title", .string), attribute("price", .decimal),
            subentities: [novel])
        book.uniquenessConstraints = [["isbn"]]
        let seat = NSEntityDescription(
            "Seat", attribute("row", .string), attribute("number", .integer32), attribute("note", .string),
            composite("place", attribute("hall", .string), attribute("floor", .integer16)))
        seat.uniquenessConstraints = [["row", "number"], ["place.hall", "place.floor"]]
        let reading = NSEntityDescription(
            "Reading", attribute("at", .date), attribute("amount", .decimal), attribute("id", .uuid),
            attribute("code", .binaryData))
        reading.uniquenessConstraints = [["at"], ["amount"], ["id"], ["code"]]
        return NSManagedObjectModel(of: book, novel, seat, reading)
    }()

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(Self.model)
    }

    private func insert(_ entity: String, _ values: [String: Any]...) throws {
        try coordinator.inContext { context in
            for values in values { try context.insert(entity, values) }
            try context.save()
        }
    }

    private func conflicts(of refusal: NSError) throws -> [NSConstraintConflict] {
        #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 133021)
        return try #require(refusal.userInfo["conflictList"] as? [NSConstraintConflict])
    }

    // MARK: The error policy

    @Test("A unique value of a stored row is a conflict with both snapshots")
    func storedRowHasTheValues() throws {
        try insert("Book", ["isbn": "1", "title": "old"])
        try coordinator.inContext { context in
            let book = try context.insert(
                "Book", ["isbn": "1", "title": "new", "price": NSDecimalNumber(value: 2)])
            let other = try context.insert("Book", ["isbn": "2"])
            let refusal = try error { try context.save() }
            #expect(refusal.localizedDescription.contains("Book (isbn = 1)"))
            let cause = try #require(refusal.userInfo[NSUnderlyingErrorKey] as? NSError)
            #expect(cause.domain == NSSQLiteErrorDomain && cause.code == 2067)
            let conflicts = try conflicts(of: refusal)
            try #require(conflicts.count == 1)
            let conflict = conflicts[0]
            #expect(conflict.constraint == ["isbn"])
            #expect(conflict.constraintValues as? [String: String] == ["isbn": "1"])
            #expect(conflict.conflictingObjects == [book])
            #expect(conflict.conflictingSnapshots.count == 1)
            #expect(conflict.conflictingSnapshots.first?["title"] as? String == "new")
            #expect(conflict.conflictingSnapshots.first?["price"] as? NSDecimalNumber == 2)
            let stored = try #require(conflict.databaseObject)
            #expect(stored !== book && stored.value(forKey: "title") as? String == "old")
            #expect(conflict.databaseSnapshot?["title"] as? String == "old")
            #expect(conflict.databaseSnapshot?["price"] is NSNull)

            // Nothing is lost on either side.
            #expect(context.insertedObjects == [book, other])
            #expect(!stored.hasChanges)
            #expect(try folder.value("SELECT group_concat(ZTITLE) FROM ZBOOK") == "old".databaseValue)

            book.setValue("3", forKey: "isbn")
            try context.save()
        }
        #expect(
            try folder.rows("SELECT ZISBN FROM ZBOOK ORDER BY Z_PK").map { $0[0] }
                == ["1", "3", "2"].map(\.databaseValue))
    }

    @Test("A unique value shared by objects of one context is a conflict without a stored object")
    func sharedInOneContext() throws {
        try coordinator.inContext { context in
            let first = try context.insert("Book", ["isbn": "1"])
            try context.insert("Book", ["isbn": "2"])
            let second = try context.insert("Book", ["isbn": "1"])
            let conflicts = try conflicts(of: try error { try context.save() })
            #expect(conflicts.count == 1)
            #expect(conflicts.first?.databaseObject == nil && conflicts.first?.databaseSnapshot == nil)
            #expect(conflicts.first?.conflictingObjects == [first, second])
            #expect(context.insertedObjects.count == 3)
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZBOOK") == 0.databaseValue)
    }

    @Test("Changing an object to another's unique value is a conflict")
    func changedObjectTakesAValue() throws {
        try insert("Book", ["isbn": "1"], ["isbn": "2"])
        try coordinator.inContext { context in
            let books = try context.all("Book", by: "isbn")
            books[1].setValue("1", forKey: "isbn")
            let conflicts = try conflicts(of: try error { try context.save() })
            #expect(conflicts.map(\.databaseObject) == [books[0]])
            #expect(conflicts.first?.conflictingObjects == [books[1]])
            #expect(books[1].hasPersistentChangedValues)
        }
    }

    // MARK: What is a violation

    @Test("Missing values do not violate a constraint")
    func missingValues() throws {
        try insert("Book", ["title": "a"], ["title": "b"])
        try insert("Seat", ["row": "a"], ["row": "a"], ["number": 1], ["number": 1])
        #expect(try folder.value("SELECT COUNT(*) FROM ZSEAT") == 4.databaseValue)
    }

    @Test("Canonically equivalent strings are different unique values")
    func equivalentStrings() throws {
        try insert("Book", ["isbn": "\u{E9}"], ["isbn": "e\u{301}"], ["isbn": "\u{C9}"])
        #expect(try folder.value("SELECT COUNT(*) FROM ZBOOK") == 3.databaseValue)
    }

    @Test("A compound constraint compares all of its values")
    func compoundConstraint() throws {
        try insert("Seat", ["row": "a", "number": 1], ["row": "a", "number": 2], ["row": "b", "number": 1])
        try coordinator.inContext { context in
            let seat = try context.insert("Seat", ["row": "b", "number": 1])
            let conflicts = try conflicts(of: try error { try context.save() })
            #expect(conflicts.map(\.constraint) == [["row", "number"]])
            #expect(conflicts.first?.constraintValues["number"] as? Int == 1)
            #expect(conflicts.first?.conflictingObjects == [seat])
            #expect(conflicts.first?.databaseObject?.value(forKey: "row") as? String == "b")
        }
    }

    @Test("A constraint may use elements of composite attributes")
    func compositeElements() throws {
        let position: [String: Any] = ["hall": "x", "floor": 2]
        try insert("Seat", ["place": position], ["place": ["hall": "x", "floor": 3]])
        try coordinator.inContext { context in
            try context.insert("Seat", ["place": position])
            let conflicts = try conflicts(of: try error { try context.save() })
            #expect(conflicts.map(\.constraint) == [["place.hall", "place.floor"]])
            #expect(conflicts.first?.constraintValues["place.floor"] as? Int == 2)
        }
    }

    @Test("A constraint of a superentity covers its subentities")
    func subentitiesInheritConstraints() throws {
        try insert("Book", ["isbn": "1"])
        try coordinator.inContext { context in
            let novel = try context.insert("Novel", ["isbn": "1", "genre": "crime"])
            let conflicts = try conflicts(of: try error { try context.save() })
            #expect(conflicts.first?.conflictingObjects == [novel])
            #expect(conflicts.first?.databaseObject?.entity.name == "Book")
            #expect(conflicts.first?.conflictingSnapshots.first?["genre"] as? String == "crime")
        }
    }

    @Test("Constraints compare dates, decimals, UUIDs and data", arguments: ["at", "amount", "id", "code"])
    func valuesOfEveryType(_ key: String) throws {
        let values: [String: any Sendable] = [
            "at": Date(timeIntervalSinceReferenceDate: 12.5), "amount": Decimal(string: "12.10") ?? 0,
            "id": UUID(uuidString: "8D6F1B0E-2A64-4C11-9D0C-8B5E5B9F6A11") ?? UUID(), "code": Data([0, 1]),
        ]
        let value = try #require(values[key])
        let boxed: Any = (value as? Decimal).map { NSDecimalNumber(decimal: $0) } ?? value
        try insert("Reading", [key: boxed])
        try coordinator.inContext { context in
            try context.insert("Reading", [key: boxed])
            let conflicts = try conflicts(of: try error { try context.save() })
            #expect(conflicts.map(\.constraint) == [[key]])
            #expect(conflicts.first?.databaseObject != nil)
        }
    }

    // MARK: What is none in the end

    @Test("Two objects may exchange unique values in one save")
    func exchangedValues() throws {
        try insert("Book", ["isbn": "1", "title": "a"], ["isbn": "2", "title": "b"])
        try coordinator.inContext { context in
            let books = try context.all("Book", by: "title")
            books[0].setValue("2", forKey: "isbn")
            books[1].setValue("1", forKey: "isbn")
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(
            try folder.value("SELECT group_concat(ZTITLE || ZISBN || Z_OPT) FROM ZBOOK")
                == "a22,b12".databaseValue)
    }

    @Test("A new object may take a unique value that another object gives away")
    func freedValue() throws {
        try insert("Book", ["isbn": "1", "title": "a"])
        try coordinator.inContext { context in
            try context.only("Book").setValue("2", forKey: "isbn")
            try context.insert("Book", ["isbn": "1", "title": "b"])
            try context.save()
        }
        #expect(try folder.value("SELECT group_concat(ZTITLE || ZISBN) FROM ZBOOK") == "a2,b1".databaseValue)
    }

    @Test("A new object may take the unique value of a deleted object")
    func valueOfADeletedObject() throws {
        try insert("Book", ["isbn": "1", "title": "a"])
        try coordinator.inContext { context in
            context.delete(try context.only("Book"))
            try context.insert("Book", ["isbn": "1", "title": "b"])
            try context.save()
        }
        #expect(try folder.value("SELECT group_concat(ZTITLE || ZISBN) FROM ZBOOK") == "b1".databaseValue)
    }

    // MARK: Many

    @Test("Three thousand violations are resolved in one save", arguments: [0, 1])
    func manyObjects(_ stored: Int) throws {
        let count = 3000
        try coordinator.inContext { context in
            for number in 0..<count * stored {
                try context.insert("Book", ["isbn": "\(number)", "title": "old"])
            }
            try context.save()
        }
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            for number in 0..<count {
                try context.insert("Book", ["isbn": "\(number)", "price": NSDecimalNumber(value: number)])
            }
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(
            try folder.rows("SELECT COUNT(*), COUNT(ZTITLE), SUM(ZPRICE) FROM ZBOOK").first
                == [
                    count.databaseValue, (count * stored).databaseValue,
                    (count * (count - 1) / 2).databaseValue,
                ])
    }

    // MARK: Values that do not violate constraints

    @Test("A trigger's refusal is an error and not a conflict")
    func triggerRefusal() throws {
        try folder.execute(
            "CREATE TRIGGER refusing BEFORE INSERT ON ZBOOK BEGIN SELECT RAISE(ABORT, 'not today'); END")
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.overwrite
            let book = try context.insert("Book", ["isbn": "1"])
            let refusal = try error { try context.save() }
            #expect(refusal.code == 134180 && refusal.localizedDescription.contains("not today"))
            #expect((refusal.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 1811)
            #expect(book.isInserted)
        }
    }
}
