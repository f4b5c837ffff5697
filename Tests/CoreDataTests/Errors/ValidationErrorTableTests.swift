import CoreData
import Foundation
import Testing

/// Every code of a validation, its cause, and the contents of its `userInfo`.
@Suite struct ValidationErrorTableTests {
    /// A way to make a save, or a check of one value, fail.
    struct Row: Sendable, CustomTestStringConvertible {
        let code: Int
        let key: String
        let values: @Sendable (NSManagedObjectContext) throws -> [String: Any]
        var tellsValue = true
        var tellsPredicate = true
        var testDescription: String { "\(code) \(key)" }

        init(
            _ code: Int, _ key: String, tellsValue: Bool = true, tellsPredicate: Bool = true,
            _ values: @escaping @Sendable (NSManagedObjectContext) throws -> [String: Any]
        ) {
            (self.code, self.key, self.values) = (code, key, values)
            (self.tellsValue, self.tellsPredicate) = (tellsValue, tellsPredicate)
        }
    }

    private static let rows = [
        Row(1550, "odd") { _ in ["odd": 2] },
        Row(1570, "needed", tellsValue: false, tellsPredicate: false) { _ in ["needed": NSNull()] },
        Row(1570, "owner", tellsValue: false, tellsPredicate: false) { _ in ["owner": NSNull()] },
        Row(1580, "pairs", tellsPredicate: false) { ["pairs": NSSet(array: try parts(1, $0))] },
        Row(1590, "pairs", tellsPredicate: false) { ["pairs": NSSet(array: try parts(4, $0))] },
        Row(1610, "count") { _ in ["count": 11] },
        Row(1620, "count") { _ in ["count": -1] },
        Row(1630, "day") { _ in ["day": Date(timeIntervalSinceReferenceDate: 101)] },
        Row(1640, "day") { _ in ["day": Date(timeIntervalSinceReferenceDate: -1)] },
        Row(1650, "moment") { _ in ["moment": Date(timeIntervalSinceReferenceDate: 7)] },
        Row(1660, "text") { _ in ["text": "too long"] },
        Row(1670, "text") { _ in ["text": ""] },
        Row(1680, "pattern") { _ in ["pattern": "abc"] },
        Row(1690, "link") { _ in ["link": URL(string: "http://example.org") as Any] },
    ]

    private static func parts(_ count: Int, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try (0..<count).map { _ in try context.insert("Part") }
    }

    private static func limited(
        _ name: String, _ type: NSAttributeDescription.AttributeType, _ limits: (String, String)...
    ) -> NSAttributeDescription {
        let attribute = attribute(name, type)
        attribute.setValidationPredicates(
            limits.map { NSPredicate(format: $0.0) }, withValidationWarnings: limits.map(\.1))
        return attribute
    }

    private let coordinator: NSPersistentStoreCoordinator
    private let folder: StoreFolder

    init() throws {
        let part = NSEntityDescription("Part")
        let owner = NSEntityDescription("Owner")
        let thing = NSEntityDescription(
            "Thing", attribute("needed", .string, optional: false, defaultValue: "x"),
            Self.limited("odd", .integer32, ("SELF == 1 OR SELF == 3", "An odd number.")),
            Self.limited("count", .integer32, ("SELF >= 0", "1620"), ("SELF <= 10", "1610")),
            Self.limited("text", .string, ("length >= 1", "1670"), ("length <= 4", "1660")),
            Self.limited("pattern", .string, ("SELF MATCHES '[0-9]+'", "1680")),
            Self.limited("link", .uri, ("scheme == 'https'", "1690")))
        let day = attribute("day", .date)
        day.setValidationPredicates(
            [
                NSPredicate(format: "SELF >= %@", Date(timeIntervalSinceReferenceDate: 0) as NSDate),
                NSPredicate(format: "SELF <= %@", Date(timeIntervalSinceReferenceDate: 100) as NSDate),
            ], withValidationWarnings: ["1640", "1630"])
        let moment = attribute("moment", .date)
        moment.setValidationPredicates([NSPredicate(value: false)], withValidationWarnings: ["1650"])
        thing.add(day)
        thing.add(moment)
        let pairs = thing.relate("pairs", to: part, many: true)
        (pairs.minCount, pairs.maxCount) = (2, 3)
        pair(pairs, part.relate("thing", to: thing))
        let owning = thing.relate("owner", to: owner)
        owning.isOptional = false
        let things = owner.relate("things", to: thing, many: true, rule: .denyDeleteRule)
        pair(owning, things)
        folder = try StoreFolder()
        coordinator = try folder.open(NSManagedObjectModel(of: thing, part, owner))
    }

    private func thing(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        try context.insert("Thing", ["owner": try context.insert("Owner")])
    }

    private func set(_ values: [String: Any], of thing: NSManagedObject) {
        for (key, value) in values { thing.setValue(value is NSNull ? nil : value, forKey: key) }
    }

    private func check(_ error: NSError, _ row: Row, _ thing: NSManagedObject) {
        #expect(error.domain == NSCocoaErrorDomain && error.code == row.code)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == row.key)
        #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === thing)
        #expect((error.userInfo[NSValidationValueErrorKey] != nil) == row.tellsValue)
        #expect((error.userInfo[NSValidationPredicateErrorKey] is NSPredicate) == row.tellsPredicate)
        #expect(error.userInfo[NSDetailedErrorsKey] == nil)
        #expect(!error.localizedDescription.isEmpty)
        let swift = error as? CocoaError
        #expect(swift?.validationKey == row.key && swift?.validationObject as? NSManagedObject === thing)
        #expect((swift?.validationPredicate != nil) == row.tellsPredicate)
    }

    @Test("An invalid new object fails the save with its code and user info", arguments: rows)
    func newObject(_ row: Row) throws {
        try coordinator.inContext { context in
            let thing = try thing(context)
            set(try row.values(context), of: thing)
            check(try error { try context.save() }, row, thing)
            check(try error { try thing.validateForInsert() }, row, thing)
            #expect(context.hasChanges && thing.isInserted)
        }
    }

    @Test("An invalid changed object fails the save with its code and user info", arguments: rows)
    func changedObject(_ row: Row) throws {
        try coordinator.inContext { context in
            let thing = try thing(context)
            try context.save()
            set(try row.values(context), of: thing)
            check(try error { try context.save() }, row, thing)
            check(try error { try thing.validateForUpdate() }, row, thing)
            #expect(context.updatedObjects.contains(thing))
        }
    }

    @Test("validateValue refuses an invalid value with its code and user info", arguments: rows)
    func validateValue(_ row: Row) throws {
        try coordinator.inContext { context in
            let thing = try thing(context)
            var value = try row.values(context)[row.key]
            check(try error { try thing.validateValue(&value, forKey: row.key) }, row, thing)
        }
    }

    @Test("Several failures are one error with details")
    func severalFailures() throws {
        try coordinator.inContext { context in
            let (one, other) = (try thing(context), try thing(context))
            set(["count": 11, "text": ""], of: one)
            other.setValue(nil, forKey: "needed")
            let error = try error { try context.save() }
            #expect(error.domain == NSCocoaErrorDomain && error.code == 1560)
            #expect(error.userInfo[NSValidationObjectErrorKey] == nil)
            let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
            #expect(details.map(\.code).sorted() == [1570, 1610, 1670])
            #expect(
                details.allSatisfy {
                    $0.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
                        === ($0.code == 1570 ? other : one)
                })
        }
    }

    @Test("The error of a denied deletion has the relationship and its members")
    func deniedDeletion() throws {
        try coordinator.inContext { context in
            let owner = try #require(try thing(context).value(forKey: "owner") as? NSManagedObject)
            try context.save()
            context.delete(owner)
            for refusal in [try error { try context.save() }, try error { try owner.validateForDelete() }] {
                #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 1600)
                #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == "things")
                #expect(refusal.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === owner)
                #expect((refusal.userInfo[NSValidationValueErrorKey] as? NSSet)?.count == 1)
            }
        }
    }

    @Test("A value of a wrong type has the object, the key and the value")
    func wrongType() throws {
        try coordinator.inContext { context in
            let thing = try thing(context)
            let part = try context.insert("Part")
            let other = coordinator.context()
            let foreign = try other.performAndWait { try other.insert("Owner") }
            let wrong: [(String, Any)] = [
                ("count", "eleven"), ("day", 7), ("link", "no URL"), ("owner", part), ("pairs", thing),
                ("owner", foreign),
            ]
            for (key, value) in wrong {
                let refusal = try error { try thing.setValue(checking: value, forKey: key) }
                #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 1550)
                #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == key)
                #expect(refusal.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === thing)
                #expect(refusal.userInfo[NSValidationValueErrorKey] != nil)
            }
            var value: Any? = "eleven"
            let refusal = try error { try thing.validateValue(&value, forKey: "count") }
            #expect(refusal.code == 1550)
            #expect(refusal.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === thing)
            #expect(refusal.userInfo[NSValidationValueErrorKey] as? String == "eleven")
            let unknown = try error { try thing.setValue(checking: 1, forKey: "nothing") }
            #expect(unknown.code == 1550 && unknown.userInfo[NSValidationKeyErrorKey] as? String == "nothing")
            #expect(unknown.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === thing)
        }
    }
}
