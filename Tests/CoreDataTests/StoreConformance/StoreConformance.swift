import CoreData
import Foundation
import Testing

/// What every store does, whatever its type.
struct StoreConformance {
    /// A store with the objects of `ConformanceModel.fill(_:)`, and its coordinator.
    private func filled(_ kind: StoreKind) throws -> (ConformanceStore, NSPersistentStoreCoordinator) {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open()
        try coordinator.inContext { context in
            try ConformanceModel.fill(context)
            try context.save()
        }
        return (store, coordinator)
    }

    // MARK: Values

    @Test("Values of every type are stored and read again", arguments: StoreKind.allCases)
    func valuesOfEveryType(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        var coordinator = try store.open()
        let id = UUID()
        let text = " a <b> & \"c\" \\ \u{1F600}\n\té "
        try coordinator.inContext { context in
            try context.insert(
                "Person",
                [
                    "name": text, "age": Int32.min, "joined": Date(timeIntervalSinceReferenceDate: 1234.5678),
                    "wage": NSDecimalNumber(string: "12345.67"), "rating": 0.1, "active": true, "uuid": id,
                    "site": URL(string: "https://example.org/?a=1&b=2") as Any, "photo": Data([0, 255, 7]),
                    "tags": ["x", "y"] as NSArray,
                ])
            try context.insert("Person", ["name": "empty"])
            try context.save()
        }
        if kind.isLasting {
            try coordinator.close()
            coordinator = try store.open()
        }
        try coordinator.inContext { context in
            let person = try context.person(text)
            #expect(person.value(forKey: "age") as? Int32 == Int32.min)
            #expect(
                person.value(forKey: "joined") as? Date == Date(timeIntervalSinceReferenceDate: 1234.5678))
            #expect(person.value(forKey: "wage") as? NSDecimalNumber == NSDecimalNumber(string: "12345.67"))
            #expect(person.value(forKey: "rating") as? Double == 0.1)
            #expect(person.value(forKey: "active") as? Bool == true)
            #expect(person.value(forKey: "uuid") as? UUID == id)
            #expect(person.value(forKey: "site") as? URL == URL(string: "https://example.org/?a=1&b=2"))
            #expect(person.value(forKey: "photo") as? Data == Data([0, 255, 7]))
            if kind.capabilities.contains(.keepsTransformables) {
                #expect(person.value(forKey: "tags") as? [String] == ["x", "y"])
            }
            let empty = try context.person("empty")
            for key in ["age", "joined", "wage", "rating", "active", "uuid", "site", "photo", "tags"] {
                #expect(empty.value(forKey: key) == nil, "\(key)")
            }
        }
    }

    // MARK: Fetching

    @Test("A fetch filters, sorts, limits and offsets", arguments: StoreKind.allCases)
    func fetchesWithConditionsAndOrders(_ kind: StoreKind) throws {
        let (_, coordinator) = try filled(kind)
        try coordinator.inContext { (context) throws in
            #expect(try context.people() == ["Ada", "Alan", "Grace"])
            #expect(try context.people("age > %@", [40], by: "-age") == ["Grace", "Alan"])
            #expect(try context.people("name BEGINSWITH %@ AND rating >= %@", ["A", 4.0]) == ["Ada"])
            #expect(try context.people("NOT (active == YES)") == ["Alan"])
            #expect(try context.people("age IN %@", [[36, 85]], by: "-name") == ["Grace", "Ada"])
            #expect(try context.people("age BETWEEN %@", [[36, 41]]) == ["Ada", "Alan"])
            #expect(try context.people("name CONTAINS[c] %@", ["LA"]) == ["Alan"])
            #expect(try context.people("team.name == %@", ["Enigma"]) == ["Ada", "Alan"])
            #expect(try context.people("FALSEPREDICATE") == [])
            #expect(try context.people(by: "age", limit: 1, offset: 1) == ["Alan"])
            #expect(try context.people(by: "age", offset: 2) == ["Grace"])
        }
    }

    @Test("Counts and IDs of objects can be fetched", arguments: StoreKind.allCases)
    func countsAndIDs(_ kind: StoreKind) throws {
        let (_, coordinator) = try filled(kind)
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
            request.predicate = NSPredicate(format: "age > 40")
            #expect(try context.count(for: request) == 2)
            request.resultType = .managedObjectIDResultType
            request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
            let ids = try context.fetch(request)
            #expect(
                try ids.map { try context.existingObject(with: $0).value(forKey: "name") as? String } == [
                    "Alan", "Grace",
                ])
            #expect(ids.map(\.entity.name) == ["Person", "Manager"])
            request.fetchLimit = 1
            #expect(try context.count(for: request) == 1)
        }
    }

    /// An order that a store does not support is reported before anything is sorted.
    @Test(
        "A sort key that cannot be sorted by is an error that names it", arguments: StoreKind.answering,
        ["members", "nothing"])
    func invalidSortKeys(_ kind: StoreKind, _ key: String) throws {
        let (_, coordinator) = try filled(kind)
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
            request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
            let refusal = try error { _ = try context.fetch(request) }
            #expect(refusal.code == 134060)
            #expect(refusal.localizedDescription.contains(key))
        }
    }

    /// SQL cannot call code; the other stores, which are in memory, can.
    @Test(
        "A closure comparator sorts or is refused, before and after a save", arguments: StoreKind.answering,
        [true, false])
    func ordersByClosures(_ kind: StoreKind, _ isSaved: Bool) throws {
        let (_, coordinator) = try filled(kind)
        try coordinator.inContext { context in
            if !isSaved {
                for person in try context.all("Person") { person.setValue(true, forKey: "active") }
                try context.insert("Person", ["name": "Al", "age": 1])
            }
            let byLength = NSSortDescriptor(key: "name", ascending: false) { left, right in
                let (left, right) = (left as? String ?? "", right as? String ?? "")
                if left.count != right.count {
                    return left.count < right.count ? .orderedAscending : .orderedDescending
                }
                return left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.sortDescriptors = [byLength]
            guard kind.runsClosures else {
                let refusal = try error { _ = try context.fetch(request) }
                #expect(refusal.code == 134060)
                #expect(refusal.localizedDescription.contains("comparators"))
                return
            }
            let names = ["Grace", "Alan", "Ada"] + (isSaved ? [] : ["Al"])
            #expect(try context.fetch(request).map { $0.value(forKey: "name") as? String } == names)
            request.fetchOffset = 1
            request.fetchLimit = 2
            #expect(
                try context.fetch(request).map { $0.value(forKey: "name") as? String } == ["Alan", "Ada"])
        }
    }

    @Test("A fetch includes subentities unless includesSubentities is false", arguments: StoreKind.allCases)
    func inheritance(_ kind: StoreKind) throws {
        let (_, coordinator) = try filled(kind)
        try coordinator.inContext { (context) throws in
            #expect(try context.all("Manager").map { $0.value(forKey: "bonus") as? Int64 } == [7])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.includesSubentities = false
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            #expect(try context.fetch(request).map(\.entity.name) == ["Person", "Person"])
            #expect(try context.person("Grace").entity.name == "Manager")
        }
    }

    @Test("Dictionaries have the requested attributes", arguments: StoreKind.allCases)
    func dictionaries(_ kind: StoreKind) throws {
        let (_, coordinator) = try filled(kind)
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name", "age"]
            request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
            let found = try context.fetch(request)
            #expect(found.map { $0["name"] as? String } == ["Grace", "Alan", "Ada"])
            #expect(found.map { $0["age"] as? Int } == [85, 41, 36])
            #expect(found.allSatisfy { $0.count == 2 })
        }
    }

    @Test("Groups of dictionaries have sums, counts, minima and averages", arguments: StoreKind.answering)
    func groupsAndSums(_ kind: StoreKind) throws {
        let (_, coordinator) = try filled(kind)
        try coordinator.inContext { context in
            func column(_ name: String, _ function: String, _ type: NSAttributeType)
                -> NSExpressionDescription
            {
                let column = NSExpressionDescription()
                column.name = name
                column.expression = NSExpression(
                    forFunction: function, arguments: [NSExpression(forKeyPath: "age")])
                column.expressionResultType = type
                return column
            }
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [
                "active", column("sum", "sum:", .integer64AttributeType),
                column("count", "count:", .integer64AttributeType),
                column("least", "min:", .integer32AttributeType),
                column("mean", "average:", .doubleAttributeType),
            ]
            request.propertiesToGroupBy = ["active"]
            request.sortDescriptors = [NSSortDescriptor(key: "active", ascending: true)]
            let groups = try context.fetch(request)
            #expect(groups.map { $0["active"] as? Bool } == [false, true])
            #expect(groups.map { $0["sum"] as? Int } == [41, 121])
            #expect(groups.map { $0["count"] as? Int } == [1, 2])
            #expect(groups.map { $0["least"] as? Int } == [41, 36])
            #expect(groups.map { $0["mean"] as? Double } == [41, 60.5])

            request.propertiesToGroupBy = nil
            request.propertiesToFetch = [column("sum", "sum:", .integer64AttributeType)]
            request.sortDescriptors = nil
            #expect(try context.fetch(request).map { $0["sum"] as? Int } == [162])

            request.propertiesToFetch = ["active"]
            request.returnsDistinctResults = true
            request.sortDescriptors = [NSSortDescriptor(key: "active", ascending: false)]
            #expect(try context.fetch(request).map { $0["active"] as? Bool } == [true, false])
        }
    }

    @Test("A having predicate filters groups", arguments: StoreKind.answering)
    func conditionsOnGroups(_ kind: StoreKind) throws {
        let (_, coordinator) = try filled(kind)
        try coordinator.inContext { (context) throws in
            func groups(_ format: String) throws -> [Bool] {
                let request = NSFetchRequest<NSDictionary>(entityName: "Person")
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = ["active"]
                request.propertiesToGroupBy = ["active"]
                request.havingPredicate = NSPredicate(format: format)
                request.sortDescriptors = [NSSortDescriptor(key: "active", ascending: true)]
                return try context.fetch(request).compactMap { $0["active"] as? Bool }
            }
            #expect(try groups("count:(name) > 1") == [true])
            #expect(try groups("count:(name) == 1") == [false])
            #expect(try groups("sum:(age) > 100") == [true])
            #expect(try groups("sum:(age) < 100 AND active == NO") == [false])
            #expect(try groups("NOT (max:(age) > 41)") == [false])
            #expect(try groups("average:(age) BETWEEN {40, 70}") == [false, true])
            #expect(try groups("count:(name) > 2") == [])
        }
    }

    @Test(
        "Transformable attributes may be fetched and compared in memory",
        arguments: StoreKind.with([.isBuiltIn, .isAtomic]))
    func transformablesInRequests(_ kind: StoreKind)
        throws
    {
        var (store, coordinator) = try filled(kind)
        try coordinator.inContext { context in
            try context.person("Ada").setValue(["x", "y"] as NSArray, forKey: "tags")
            try context.save()
        }
        if kind.isLasting {
            try coordinator.close()
            coordinator = try store.open()
        }
        try coordinator.inContext { (context) throws in
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name", "tags"]
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let found = try context.fetch(request)
            #expect(found.map { $0["tags"] as? [String] } == [["x", "y"], nil, nil])
            #expect(try context.people("tags == nil") == ["Alan", "Grace"])
            #expect(try context.people("tags == %@", [["x", "y"] as NSArray]) == ["Ada"])
            #expect(try context.people("tags == %@", [["x"] as NSArray]) == [])
            #expect(try context.people("tags CONTAINS 'x'") == ["Ada"])
            #expect(try context.people("tags CONTAINS 'z'") == [])
        }
    }

    @Test("Unknown keys in a predicate or a sort descriptor are errors", arguments: StoreKind.answering)
    func unknownKeys(_ kind: StoreKind) throws {
        let (_, coordinator) = try filled(kind)
        try coordinator.inContext { context in
            for format in ["nothing == 1", "team.nothing == 1", "name.length > 2 AND nothing != nil"] {
                let found = try error { _ = try context.people(format) }
                #expect(found.code == 134060, "\(format)")
            }
            let order = try error { _ = try context.people(by: "nothing") }
            #expect(order.code == 134060 && order.localizedDescription.contains("nothing"))
        }
    }

    @Test("A missing value matches no comparison except with nil", arguments: StoreKind.answering)
    func missingValues(
        _ kind: StoreKind
    ) throws {
        let (_, coordinator) = try filled(kind)
        try coordinator.inContext { context in
            _ = try context.insert("Person", ["name": "Unknown"])
            try context.save()
            #expect(try context.people("age != 36") == ["Alan", "Grace"])
            #expect(try context.people("NOT (age == 36)") == ["Alan", "Grace"])
            #expect(try context.people("age == nil") == ["Unknown"])
            #expect(try context.people(by: "age").first == "Unknown")
        }
    }

    // MARK: Relationships

    @Test("Relationships of every shape are stored and changed", arguments: StoreKind.allCases)
    func relationships(_ kind: StoreKind) throws {
        var (store, coordinator) = try filled(kind)
        if kind.isLasting {
            try coordinator.close()
            coordinator = try store.open()
        }
        try coordinator.inContext { context in
            let ada = try context.person("Ada")
            #expect(
                (ada.value(forKey: "team") as? NSManagedObject)?.value(forKey: "name") as? String == "Enigma")
            #expect(ada.destinationNames("chores", "title") == ["sweep", "cook", "wash"])
            #expect(try context.only("Team").destinationNames("members").sorted() == ["Ada", "Alan"])
            let math = try #require(try context.all("Skill", by: "name").first)
            #expect(math.destinationNames("people").sorted() == ["Ada", "Alan", "Grace"])
            #expect(try context.person("Grace").value(forKey: "team") == nil)

            let chores = try #require(ada.value(forKey: "chores") as? NSOrderedSet)
            ada.setValue(NSOrderedSet(array: [chores[2], chores[0], chores[1]]), forKey: "chores")
            try context.person("Grace").setValue(try context.only("Team"), forKey: "team")
            try context.person("Alan").setValue(nil, forKey: "team")
            try context.save()
        }
        if kind.isLasting {
            try coordinator.close()
            coordinator = try store.open()
        }
        try coordinator.inContext { (context) throws in
            #expect(
                try context.person("Ada").destinationNames("chores", "title") == ["wash", "sweep", "cook"])
            #expect(try context.only("Team").destinationNames("members").sorted() == ["Ada", "Grace"])
            #expect(try context.person("Alan").value(forKey: "team") == nil)
        }
    }

    @Test("Deletions follow the delete rules", arguments: StoreKind.allCases)
    func deletions(_ kind: StoreKind) throws {
        var (store, coordinator) = try filled(kind)
        try coordinator.inContext { context in
            context.delete(try context.person("Ada"))
            try context.save()
        }
        if kind.isLasting {
            try coordinator.close()
            coordinator = try store.open()
        }
        try coordinator.inContext { context in
            #expect(try context.people() == ["Alan", "Grace"])
            #expect(try context.all("Chore").isEmpty)
            #expect(try context.only("Team").destinationNames("members") == ["Alan"])
            let math = try #require(try context.all("Skill", by: "name").first)
            #expect(math.destinationNames("people").sorted() == ["Alan", "Grace"])
        }
    }

    @Test("Deleting an object clears references without an inverse", arguments: StoreKind.atomics)
    func oneWayReferencesOfDeletedObjects(_ kind: StoreKind) throws {
        let item = NSEntityDescription("Item", attribute("name", .string))
        item.relate("next", to: item)
        item.relate("others", to: item, many: true)
        let store = try ConformanceStore(kind)
        let coordinator = try store.open(NSManagedObjectModel(of: item))
        try coordinator.inContext { context in
            let items = try ["a", "b", "c"].map { try context.insert("Item", ["name": $0]) }
            items[0].setValue(items[2], forKey: "next")
            items[1].setValue(NSSet(array: items), forKey: "others")
            try context.save()
        }
        func names(_ format: String) throws -> [String] {
            try coordinator.inContext { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = NSPredicate(format: format)
                return try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
            }
        }
        #expect(try names("next.name == 'c'") == ["a"])
        #expect(try names("ANY others.name == 'c'") == ["b"])
        try coordinator.inContext { context in
            let last = try #require(try context.all("Item", by: "name").last)
            context.delete(last)
            try context.save()
        }
        #expect(try names("next.name == 'c'") == [])
        #expect(try names("ANY others.name == 'c'") == [])
        #expect(try names("others.@count == 2") == ["b"])
    }

    @Test(
        "Updates are fetched before and after a save, and a rollback restores them",
        arguments: StoreKind.allCases)
    func updatesAndUnsavedChanges(_ kind: StoreKind) throws {
        let (_, coordinator) = try filled(kind)
        try coordinator.inContext { context in
            let alan = try context.person("Alan")
            alan.setValue(1, forKey: "age")
            _ = try context.insert("Person", ["name": "New", "age": 2])
            context.delete(try context.person("Ada"))
            #expect(try context.people("age < 50") == ["Alan", "New"])
            #expect(try coordinator.inContext { try $0.people("age < 50") } == ["Ada", "Alan"])
            try context.save()
            #expect(try coordinator.inContext { try $0.people("age < 50", by: "age") } == ["Alan", "New"])
            alan.setValue(5, forKey: "age")
            context.rollback()
            #expect(alan.value(forKey: "age") as? Int == 1)
        }
    }

    // MARK: Identity

    @Test("The URI of an ID finds its object after the store is opened again", arguments: StoreKind.lasting)
    func identitiesLast(_ kind: StoreKind) throws {
        var (store, coordinator) = try filled(kind)
        let uri = try coordinator.inContext { try $0.person("Alan").objectID.uriRepresentation() }
        #expect(uri.scheme == "x-coredata" && uri.host == coordinator.persistentStores[0].identifier)
        try coordinator.close()
        coordinator = try store.open()
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
        let again = coordinator
        try again.inContext { (context) throws in
            #expect(try context.existingObject(with: id).value(forKey: "name") as? String == "Alan")
        }
    }

    @Test("Permanent IDs obtained before a save stay the objects' IDs", arguments: StoreKind.allCases)
    func permanentIDsBeforeTheSave(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        try store.open().inContext { context in
            let person = try context.insert("Person", ["name": "x"])
            #expect(person.objectID.isTemporaryID)
            try context.obtainPermanentIDs(for: [person])
            let id = person.objectID
            #expect(!id.isTemporaryID)
            try context.save()
            #expect(person.objectID == id)
            #expect(try context.person("x") === person)
        }
    }

    @Test("A deleted object does not exist", arguments: StoreKind.allCases)
    func missingObjects(_ kind: StoreKind) throws {
        let (_, coordinator) = try filled(kind)
        let id = try coordinator.inContext { context in
            let alan = try context.person("Alan")
            defer { context.delete(alan) }
            return alan.objectID
        }
        try coordinator.inContext { context in
            context.delete(try context.existingObject(with: id))
            try context.save()
        }
        try coordinator.inContext { context in
            let found = try error { _ = try context.existingObject(with: id) }
            #expect(found.code == 133000)
        }
    }

    // MARK: Conflicts and errors

    @Test(
        "A change made by another context is a conflict that object trump resolves",
        arguments: StoreKind.allCases)
    func conflictsOfContexts(_ kind: StoreKind) throws {
        let (_, coordinator) = try filled(kind)
        let other = coordinator.context()
        other.retainsRegisteredObjects = true
        try other.performAndWait { _ = try other.person("Alan").value(forKey: "age") }
        try coordinator.inContext { context in
            try context.person("Alan").setValue(50, forKey: "age")
            try context.save()
        }
        try other.performAndWait {
            let alan = try other.person("Alan")
            alan.setValue("Alan M.", forKey: "name")
            let found = try error { try other.save() }
            #expect(found.code == 133020)
            let conflicts = found.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            #expect(conflicts?.map { $0.sourceObject === alan } == [true])
            #expect(other.hasChanges)
            other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try other.save()
        }
        try coordinator.inContext { (context) throws in
            #expect(try context.person("Alan M.").value(forKey: "age") as? Int == 50)
        }
    }

    @Test("detectConflicts(for:) finds a change of an unchanged object", arguments: StoreKind.allCases)
    func detectConflicts(_ kind: StoreKind) throws {
        let coordinator = try ConformanceStore(kind).open()
        try coordinator.inContext { context in
            try ConformanceModel.fill(context)
            try context.save()
        }
        let other = coordinator.context()
        other.retainsRegisteredObjects = true
        let ada = try other.performAndWait {
            let ada = try other.person("Ada")
            #expect(ada.value(forKey: "age") as? Int == 36)
            other.detectConflicts(for: ada)
            return ada.objectID
        }
        try coordinator.inContext { context in
            try context.person("Ada").setValue(37, forKey: "age")
            try context.save()
        }
        try other.performAndWait {
            _ = try other.insert("Team", ["name": "new"])
            let found = try error { try other.save() }
            #expect(found.code == 133020)
            let conflicts = found.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            #expect(conflicts?.map(\.sourceObject.objectID) == [ada])
            other.mergePolicy = NSMergePolicy.rollback
            try other.save()
            #expect(other.object(with: ada).value(forKey: "age") as? Int == 37)
            #expect(try other.all("Team").count == 2)
        }
    }

    @Test(
        "Object trump and overwrite restore an object that another context deleted",
        arguments: StoreKind.allCases)
    func objectsDeletedByAnotherContext(_ kind: StoreKind) throws {
        for policy in [NSMergePolicy.mergeByPropertyObjectTrump, NSMergePolicy.overwrite] {
            var (store, coordinator) = try filled(kind)
            let other = coordinator.context()
            other.retainsRegisteredObjects = true
            other.mergePolicy = policy
            try other.performAndWait {
                let alan = try other.person("Alan")
                alan.setValue(42, forKey: "age")
                _ = alan.value(forKey: "team")
            }
            try coordinator.inContext { context in
                context.delete(try context.person("Alan"))
                try context.save()
            }
            try other.performAndWait {
                try other.save()
                #expect(!other.hasChanges)
                #expect(try !other.person("Alan").objectID.isTemporaryID)
            }
            if kind.isLasting {
                try coordinator.close()
                coordinator = try store.open()
            }
            try coordinator.inContext { (context) throws in
                #expect(try context.people() == ["Ada", "Alan", "Grace"])
                let alan = try context.person("Alan")
                #expect(alan.value(forKey: "age") as? Int == 42)
                #expect((alan.value(forKey: "team") as? NSManagedObject)?.entity.name == "Team")
                let uri = alan.objectID.uriRepresentation()
                #expect(coordinator.managedObjectID(forURIRepresentation: uri) == alan.objectID)
            }
        }
    }

    @Test("Changes of different objects do not conflict", arguments: StoreKind.allCases)
    func differentObjectsDoNotConflict(_ kind: StoreKind) throws {
        let (_, coordinator) = try filled(kind)
        let other = coordinator.context()
        other.retainsRegisteredObjects = true
        try other.performAndWait { try other.person("Ada").setValue(1, forKey: "age") }
        try coordinator.inContext { context in
            try context.person("Alan").setValue(2, forKey: "age")
            try context.save()
        }
        try other.performAndWait { try other.save() }
        #expect(try coordinator.inContext { try $0.people("age < 3") } == ["Ada", "Alan"])
    }

    @Test("A save that fails validation stores nothing", arguments: StoreKind.allCases)
    func invalidSave(_ kind: StoreKind) throws {
        let (_, coordinator) = try filled(kind)
        try coordinator.inContext { context in
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            let found = try error { try context.save() }
            #expect(found.code == 1570)
            #expect(person.isInserted)
            person.setValue("valid", forKey: "name")
            try context.save()
        }
        #expect(try coordinator.inContext { try $0.people() } == ["Ada", "Alan", "Grace", "valid"])
    }

    @Test("A read-only store refuses saves", arguments: StoreKind.lasting)
    func readOnlyStores(_ kind: StoreKind) throws {
        var (store, coordinator) = try filled(kind)
        try coordinator.close()
        coordinator = try store.open(ConformanceModel.make(), [NSReadOnlyPersistentStoreOption: true])
        #expect(coordinator.persistentStores[0].isReadOnly)
        try coordinator.inContext { context in
            try context.person("Alan").setValue(1, forKey: "age")
            #expect(try error { try context.save() }.code == 134030)
            context.rollback()
            _ = try context.insert("Team")
            #expect(try error { try context.save() }.code == 134030)
        }
    }

    // MARK: Opening

    @Test("A store of another model version is refused", arguments: StoreKind.lasting)
    func anotherModel(_ kind: StoreKind) throws {
        let (store, coordinator) = try filled(kind)
        try coordinator.close()
        let found = try error { _ = try store.open(ConformanceModel.make(extra: "level")) }
        #expect(found.code == 134100)
        #expect(found.localizedDescription.contains("Skill (changed)"))
        #expect(try store.open().inContext { try $0.people() } == ["Ada", "Alan", "Grace"])
    }

    @Test("Metadata is written, read without opening, and set without opening", arguments: StoreKind.lasting)
    func metadata(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open()
        let opened = coordinator.persistentStores[0]
        let identifier = try #require(opened.identifier)
        #expect(UUID(uuidString: identifier) != nil)
        #expect(opened.type == kind.type.rawValue)
        #expect(opened.metadata[NSStoreTypeKey] as? String == kind.type.rawValue)
        let hashes = opened.metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        #expect(hashes == ConformanceModel.make().entityVersionHashesByName)
        var metadata = coordinator.metadata(for: opened)
        metadata["own"] = "value"
        coordinator.setMetadata(metadata, for: opened)
        try coordinator.inContext { try $0.save() }
        try coordinator.close()
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: kind.type, at: store.url)
        #expect(read["own"] as? String == "value")
        #expect(read[NSStoreUUIDKey] as? String == identifier)
        var changed = read
        changed["own"] = "other"
        try NSPersistentStoreCoordinator.setMetadata(changed, type: kind.type, at: store.url)
        let again = try store.open()
        #expect(again.persistentStores[0].metadata["own"] as? String == "other")
        #expect(again.persistentStores[0].identifier == identifier)
    }

    @Test("A destroyed store has no objects", arguments: StoreKind.files)
    func destroyedStore(_ kind: StoreKind) throws {
        let (store, coordinator) = try filled(kind)
        try coordinator.close()
        try coordinator.destroyPersistentStore(at: store.url, type: kind.type)
        let isLeft = FileManager.default.fileExists(atPath: store.url.path)
        #expect(isLeft == kind.capabilities.contains(.leavesFile))
        if isLeft { #expect(try Data(contentsOf: store.url).isEmpty) }
        #expect(try store.open().inContext { try $0.people() } == [])
    }

    @Test("A replaced store has the objects of its source", arguments: StoreKind.files)
    func replacedStore(_ kind: StoreKind) throws {
        let (source, first) = try filled(kind)
        try first.close()
        let store = try ConformanceStore(kind)
        let coordinator = try store.open()
        try coordinator.close()
        try coordinator.replacePersistentStore(
            at: store.url, withPersistentStoreFrom: source.url, type: kind.type)
        #expect(try store.open().inContext { try $0.people() } == ["Ada", "Alan", "Grace"])
    }

    @Test(
        "A store without a file cannot be destroyed, replaced or read for metadata",
        arguments: StoreKind.without(.isFile))
    func storesWithoutAFile(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open()
        #expect(
            try error { try coordinator.destroyPersistentStore(at: store.url, type: kind.type) }.code
                == 134070)
        let replacing = try error {
            try coordinator.replacePersistentStore(
                at: store.url, withPersistentStoreFrom: store.url, type: kind.type)
        }
        #expect(replacing.code == 134070)
        guard kind.capabilities.contains(.isBuiltIn) else { return }
        let reading = try error {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: kind.type, at: store.url)
        }
        #expect(reading.code == 134070)
    }

    @Test(
        "Unsupported constraints and derivations are refused by name",
        arguments: StoreKind.with([.isBuiltIn, .isAtomic]))
    func unsupportedModels(_ kind: StoreKind)
        throws
    {
        let unique = NSEntityDescription("Item", attribute("name", .string))
        unique.uniquenessConstraints = [["name"]]
        if kind.capabilities.contains(.takesConstraints) {
            try ConformanceStore(kind).open(NSManagedObjectModel(of: unique)).close()
        } else {
            let constraint = try error {
                _ = try ConformanceStore(kind).open(NSManagedObjectModel(of: unique))
            }
            #expect(constraint.code == 134020 && constraint.localizedDescription.contains("uniqueness"))
        }
        let computed = NSEntityDescription(
            "Item", attribute("name", .string), derived("upper", .string, "uppercase:(name)"))
        let derivation = try error { _ = try ConformanceStore(kind).open(NSManagedObjectModel(of: computed)) }
        #expect(derivation.code == 134020 && derivation.localizedDescription.contains("upper"))
        // It keeps no history, which the log reports.
        try ConformanceStore(kind).open(ConformanceModel.make(), [NSPersistentHistoryTrackingKey: true])
            .close()
    }

    // MARK: Migration

    private static let pairs = StoreKind.allCases.flatMap { from in
        StoreKind.allCases.filter { $0 != from && $0.capabilities.contains(.isFilledByMigration) }.map {
            (from, $0)
        }
    }

    @Test("Objects and unsaved changes follow a store migrated to another type", arguments: pairs)
    func migration(_ from: StoreKind, _ to: StoreKind) throws {
        let (_, coordinator) = try filled(from)
        let context = coordinator.context()
        let alan = try context.performAndWait {
            let alan = try context.person("Alan")
            alan.setValue("unsaved", forKey: "name")
            return alan
        }
        nonisolated(unsafe) let object = alan
        let target = try ConformanceStore(to)
        let new = try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: target.url, type: to.type)
        #expect(coordinator.persistentStores == [new] && new.type == to.type.rawValue)
        try context.performAndWait {
            #expect(object.objectID.persistentStore === new)
            object.setValue(42, forKey: "age")
            try context.save()
        }
        var again = coordinator
        if to.isLasting {
            try coordinator.close()
            again = try target.open()
        }
        try again.inContext { context in
            #expect(try context.people() == ["Ada", "Grace", "unsaved"])
            #expect(try context.person("unsaved").value(forKey: "age") as? Int == 42)
            #expect(
                try context.person("Ada").destinationNames("chores", "title") == ["sweep", "cook", "wash"])
            #expect(try context.only("Team").destinationNames("members").sorted() == ["Ada", "unsaved"])
            let math = try #require(try context.all("Skill", by: "name").first)
            #expect(math.destinationNames("people").sorted() == ["Ada", "Grace", "unsaved"])
            #expect(try context.all("Manager").map { $0.value(forKey: "bonus") as? Int } == [7])
            _ = try context.insert("Person", ["name": "later"])
            try context.save()
        }
    }

    @Test("A migration to an incremental store is refused")
    func migrationToAnIncrementalStore() throws {
        let (_, coordinator) = try filled(.xml)
        let store = coordinator.persistentStores[0]
        let found = try error {
            try coordinator.migratePersistentStore(
                store, to: try ConformanceStore(.incremental).url, type: StoreKind.incremental.type)
        }
        #expect(found.code == 134070)
        #expect(coordinator.persistentStores == [store])
        #expect(try coordinator.inContext { try $0.people() } == ["Ada", "Alan", "Grace"])
    }
}
