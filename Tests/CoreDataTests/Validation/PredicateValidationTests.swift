import CoreData
import Testing

/// Validation predicates of a model made in code, values that are missing, and several failures at once.
@Suite struct PredicateValidationTests {
    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        let name = attribute("name", .string, optional: false)
        name.setValidationPredicates(
            [NSPredicate(format: "SELF BEGINSWITH 'A'"), NSPredicate(format: "length < 6")],
            withValidationWarnings: ["A name begins with A.", "A name is short."])
        let link = attribute("link", .uri)
        link.setValidationPredicates(
            [NSPredicate(format: "scheme == 'https'")], withValidationWarnings: ["1690"])
        let day = attribute("day", .date)
        day.setValidationPredicates(
            [NSPredicate(format: "SELF < %@", Date(timeIntervalSinceReferenceDate: 0) as NSDate)],
            withValidationWarnings: ["1650"])
        let count = attribute("count", .integer32, optional: false)
        let silent = attribute("silent", .integer32)
        silent.setValidationPredicates([NSPredicate(format: "SELF != 3")], withValidationWarnings: nil)
        folder = try StoreFolder()
        coordinator = try folder.open(
            NSManagedObjectModel(of: NSEntityDescription("Thing", name, link, day, count, silent)))
    }

    private func things() throws -> String {
        try folder.value("SELECT COUNT(*) FROM ZTHING").description
    }

    private func refusal(_ values: [String: Any]) throws -> NSError {
        try coordinator.inContext { context in
            try context.insert("Thing", ["name": "Abc", "count": 1].merging(values) { $1 })
            return try error { try context.save() }
        }
    }

    @Test("A failed predicate has its own message")
    func predicateFailsWithItsMessage() throws {
        let refusal = try refusal(["name": "Bob"])
        #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 1550)
        #expect(refusal.localizedDescription == "A name begins with A.")
        #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == "name")
        #expect(refusal.userInfo[NSValidationValueErrorKey] as? String == "Bob")
        let predicate = refusal.userInfo[NSValidationPredicateErrorKey] as? NSPredicate
        #expect(predicate == NSPredicate(format: "SELF BEGINSWITH 'A'"))
        #expect(try self.refusal(["name": "Abcdef"]).localizedDescription == "A name is short.")
        #expect(try things() == "0")
    }

    @Test("A failed predicate without a message names the property")
    func predicateWithoutAMessage() throws {
        let refusal = try refusal(["silent": 3])
        #expect(refusal.code == 1550)
        #expect(refusal.localizedDescription.contains("silent"))
    }

    @Test("A numeric message of a predicate is the error's code")
    func numberAsTheMessage() throws {
        let link = try refusal(["link": try #require(URL(string: "http://example.org"))])
        #expect(link.code == 1690 && link.userInfo[NSValidationKeyErrorKey] as? String == "link")
        #expect(link.userInfo[NSValidationValueErrorKey] as? URL == URL(string: "http://example.org"))
        #expect(try refusal(["day": Date(timeIntervalSinceReferenceDate: 1)]).code == 1650)
    }

    @Test("Swift reads a validation error as a CocoaError")
    func cocoaError() throws {
        try coordinator.inContext { context in
            let thing = try context.insert("Thing", ["name": "Bob", "count": 1])
            do {
                try context.save()
                Issue.record("no error")
            } catch let error as CocoaError {
                #expect(error.code == .managedObjectValidation)
                #expect(error.validationKey == "name" && error.validationValue as? String == "Bob")
                #expect(error.validationObject as? NSManagedObject === thing)
                #expect(error.validationPredicate != nil)
            }
        }
    }

    @Test("A missing required value is named and fails the save")
    func missingValue() throws {
        try coordinator.inContext { context in
            let thing = try context.insert("Thing", ["name": "Abc"])
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1570)
            #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == "count")
            #expect(refusal.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === thing)
            #expect(refusal.userInfo[NSValidationValueErrorKey] == nil)
            #expect(refusal.userInfo[NSValidationPredicateErrorKey] == nil)
            #expect(refusal.localizedDescription == "count is a required value.")
            #expect(context.insertedObjects == [thing] && thing.objectID.isTemporaryID)
            thing.setValue(4, forKey: "count")
            try context.save()
            thing.setValue(nil, forKey: "name")
            #expect(try error { try context.save() }.code == 1570)
            #expect(thing.isUpdated && thing.value(forKey: "name") == nil)
        }
        #expect(try folder.stored("ZNAME", "Z_OPT", in: "ZTHING") == ["text 'Abc'", "integer 1"])
    }

    @Test("An empty string is not a missing value")
    func emptyStringIsAValue() throws {
        let refusal = try refusal(["name": ""])
        #expect(refusal.code == 1550)
    }

    @Test("Several failures are reported together")
    func severalFailures() throws {
        try coordinator.inContext { context in
            let first = try context.insert("Thing", ["name": "Bob"])
            let second = try context.insert("Thing", ["count": 2])
            let third = try context.insert("Thing", ["name": "Ada", "count": 3])
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 1560)
            let details = refusal.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
            let reported = details.map { detail in
                let object = detail.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
                let position = object === first ? 1 : object === second ? 2 : 3
                return "\(position) \(detail.userInfo[NSValidationKeyErrorKey] ?? "-") \(detail.code)"
            }
            #expect(reported.sorted() == ["1 count 1570", "1 name 1550", "2 name 1570"])
            #expect(context.insertedObjects == [first, second, third])
            // One object's failures, as the object reports them.
            #expect(try error { try first.validateForInsert() }.code == 1560)
            #expect(try error { try second.validateForInsert() }.code == 1570)
            try third.validateForInsert()
        }
        #expect(try things() == "0")
    }

    @Test("One invalid object makes the whole save fail")
    func failureStopsTheWholeSave() throws {
        try coordinator.inContext { context in
            try context.insert("Thing", ["name": "Ada", "count": 1])
            try context.insert("Thing", ["name": "Ann", "count": 1])
            try context.save()
        }
        try coordinator.inContext { context in
            context.delete(try #require(try context.named("Ada", "Thing")))
            let ann = try #require(try context.named("Ann", "Thing"))
            ann.setValue(2, forKey: "count")
            let bad = try context.insert("Thing", ["name": "Bob", "count": 1])
            #expect(try error { try context.save() }.code == 1550)
            #expect(
                context.insertedObjects == [bad] && context.updatedObjects == [ann]
                    && context.deletedObjects.count == 1)
            #expect(
                try folder.rows("SELECT ZNAME, ZCOUNT FROM ZTHING ORDER BY ZNAME").map { "\($0)" }.count == 2)
            bad.setValue("Amy", forKey: "name")
            try context.save()
            #expect(try context.names("Thing") == ["Amy", "Ann"] && !context.hasChanges)
        }
    }

    @Test("validateValue refuses a value of a wrong type")
    func wrongType() throws {
        try coordinator.inContext { context in
            let thing = try context.insert("Thing")
            var value: Any? = "many"
            let refusal = try error { try thing.validateValue(&value, forKey: "count") }
            #expect(refusal.code == 1550)
            #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == "count")
            #expect(refusal.userInfo[NSValidationValueErrorKey] as? String == "many")
            value = nil
            #expect(try error { try thing.validateValue(&value, forKey: "count") }.code == 1570)
            value = NSNull()
            #expect(try error { try thing.validateValue(&value, forKey: "count") }.code == 1570)
        }
    }
}
