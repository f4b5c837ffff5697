import CoreData
import Testing

/// Rules that a class adds to those of its model.
@Suite struct ValidationOverrideTests {
    final class Guarded: NSManagedObject {
        var name: String? { value(forKey: "name") as? String }

        /// What was called, in the context's `userInfo`.
        private func note(_ text: String) {
            guard let context = managedObjectContext else { return }
            context.userInfo["calls"] = (context.userInfo["calls"] as? [String] ?? []) + [text]
        }

        private func check(_ event: String, _ inherited: () throws -> Void) throws {
            note("\(event) \(name ?? "-")")
            var errors: [NSError] = []
            do { try inherited() } catch { errors.append(error as NSError) }
            if name == "not to \(event)" { errors.append(NSError(domain: "Guard", code: 4242)) }
            guard let first = errors.first else { return }
            guard errors.count > 1 else { throw first }
            throw NSError(
                domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
                userInfo: [NSDetailedErrorsKey: errors])
        }

        override func validateForInsert() throws { try check("insert") { try super.validateForInsert() } }
        override func validateForUpdate() throws { try check("update") { try super.validateForUpdate() } }
        override func validateForDelete() throws { try check("delete") { try super.validateForDelete() } }

        override func validateValue(_ value: inout Any?, forKey key: String) throws {
            if key == "name", value as? String == "fill in" { value = "filled in" }
            if key == "friend", value == nil {
                value = managedObjectContext.flatMap { try? $0.named("default", "Guarded") }
            }
            try super.validateValue(&value, forKey: key)
            if key == "name", value as? String == "worthless" { throw NSError(domain: "Guard", code: 7) }
        }

        override class var registeredValidators: [String: ManagedValidator] {
            [
                "rank": .method { (object: Guarded, value: inout Int?) in
                    if value == 13 { throw NSError(domain: "Guard", code: 13) }
                    value = value.map { min($0, 99) }
                }
            ]
        }
    }

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        NSManagedObjectModel.register(Guarded.self)
        let guarded = NSEntityDescription(
            "Guarded", attribute("name", .string, optional: false),
            attribute("rank", .integer32, defaultValue: 1), attribute("note", .string))
        guarded.managedObjectClassName = "Guarded"
        pair(
            guarded.relate("friend", to: guarded), guarded.relate("friendOf", to: guarded, many: true))
        folder = try StoreFolder()
        coordinator = try folder.open(NSManagedObjectModel(of: guarded))
    }

    private func calls(_ context: NSManagedObjectContext) -> [String] {
        defer { context.userInfo["calls"] = nil }
        return context.userInfo["calls"] as? [String] ?? []
    }

    @Test("A save calls the validation of each object's kind of change")
    func validationForEachChange() throws {
        try coordinator.inContext { context in
            let object = try context.insert("Guarded", ["name": "a"])
            let other = try context.insert("Guarded", ["name": "b"])
            try context.save()
            #expect(calls(context).sorted() == ["insert a", "insert b"])
            object.setValue("c", forKey: "name")
            try context.save()
            #expect(calls(context) == ["update c"])
            context.delete(object)
            other.setValue("d", forKey: "name")
            try context.save()
            #expect(calls(context).sorted() == ["delete c", "update d"])
            try context.save()
            #expect(calls(context).isEmpty)
        }
    }

    @Test("An error of a class is thrown unchanged")
    func classErrorIsThrown() throws {
        try coordinator.inContext { context in
            let object = try context.insert("Guarded", ["name": "not to insert"])
            let refusal = try error { try context.save() }
            #expect(refusal.domain == "Guard" && refusal.code == 4242)
            object.setValue("a", forKey: "name")
            try context.save()
            object.setValue("not to update", forKey: "name")
            #expect(try error { try context.save() }.code == 4242)
            object.setValue("not to delete", forKey: "name")
            try context.save()
            context.delete(object)
            #expect(try error { try context.save() }.code == 4242)
            #expect(object.isDeleted && context.hasChanges)
        }
        #expect(try folder.stored("ZNAME", in: "ZGUARDED") == ["text 'not to delete'"])
    }

    @Test("Errors of a class and of its model are reported together")
    func errorsOfClassAndModel() throws {
        try coordinator.inContext { context in
            let object = try context.insert("Guarded", ["name": "not to insert", "rank": 13])
            try context.insert("Guarded")
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 1560)
            let details = refusal.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
            #expect(details.map(\.code).sorted() == [13, 1570, 4242])
            #expect(try error { try object.validateForInsert() }.code == 1560)
        }
    }

    @Test("A rule for one value fails the save")
    func ruleForOneValue() throws {
        try coordinator.inContext { context in
            let object = try context.insert("Guarded", ["name": "worthless"])
            let refusal = try error { try context.save() }
            #expect(refusal.domain == "Guard" && refusal.code == 7)
            object.setValue("a", forKey: "name")
            object.setValue(13, forKey: "rank")
            #expect(try error { try context.save() }.code == 13)
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZGUARDED").description == "0")
    }

    @Test("A rule may replace a value, which is saved")
    func ruleReplacesAValue() throws {
        try coordinator.inContext { context in
            let object = try context.insert("Guarded", ["name": "fill in", "rank": 500])
            try context.save()
            #expect(object.value(forKey: "name") as? String == "filled in")
            #expect(object.value(forKey: "rank") as? Int == 99 && !context.hasChanges)
        }
        #expect(try folder.stored("ZNAME", "ZRANK", in: "ZGUARDED") == ["text 'filled in'", "integer 99"])
    }

    @Test("A rule may replace a destination, which is saved")
    func ruleReplacesADestination() throws {
        try coordinator.inContext { context in
            let friend = try context.insert("Guarded", ["name": "default"])
            friend.setValue(friend, forKey: "friend")
            try context.save()
            let object = try context.insert("Guarded", ["name": "a"])
            try context.save()
            #expect(object.one("friend") === friend)
            #expect(friend.many("friendOf") == [friend, object] && !context.hasChanges)
        }
        try coordinator.inContext { context throws in
            #expect(try context.names(of: "default", "Guarded", "friendOf") == ["a", "default"])
        }
    }

    @Test("validateValue called directly replaces only its argument")
    func directCallReplacesTheArgument() throws {
        try coordinator.inContext { context in
            let object = try context.insert("Guarded", ["name": "a"])
            var value: Any? = "fill in"
            try object.validateValue(&value, forKey: "name")
            #expect(value as? String == "filled in")
            value = 500
            try object.validateValue(&value, forKey: "rank")
            #expect(value as? Int == 99)
            #expect(
                object.value(forKey: "name") as? String == "a" && object.value(forKey: "rank") as? Int == 1)
        }
    }

    @Test("Values replaced by a failed save stay in the object")
    func replacedByAFailedSave() throws {
        try coordinator.inContext { context in
            let object = try context.insert("Guarded", ["name": "fill in"])
            let bad = try context.insert("Guarded", ["name": "worthless"])
            #expect(try error { try context.save() }.code == 7)
            #expect(
                object.value(forKey: "name") as? String == "filled in"
                    && context.insertedObjects == [object, bad])
            context.delete(bad)
            try context.save()
        }
        #expect(try folder.stored("ZNAME", in: "ZGUARDED") == ["text 'filled in'"])
    }
}
