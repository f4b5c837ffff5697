import CoreData
import Testing

/// What holds for every derived attribute: when it has a value, and who may set it.
@Suite struct DerivedRuleTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    // MARK: now()

    private static let stamped = NSManagedObjectModel(
        of: NSEntityDescription(
            "Item", attribute("name", .string), Library.transient("note", .string),
            derived("changed", .date, "now()")))

    @Test("An attribute derived by now() has the time of the last save that changed the object")
    func nowIsTheTimeOfTheSave() throws {
        try folder.open(Self.stamped).inContext { context in
            let item = try context.insert("Item", ["name": "a"])
            let other = try context.insert("Item", ["name": "b"])
            #expect(item.value(forKey: "changed") == nil)
            let before = Date()
            try context.save()
            let first = try #require(item.value(forKey: "changed") as? Date)
            #expect(first >= before && first <= Date())
            #expect(
                try folder.rows("SELECT ZCHANGED FROM ZITEM WHERE ZNAME = 'a'")[0][0].storage.value as? Double
                    == first.timeIntervalSinceReferenceDate)

            item.setValue("changed", forKey: "name")
            #expect(item.value(forKey: "changed") as? Date == first)
            let otherBefore = other.value(forKey: "changed") as? Date
            try context.save()
            let second = try #require(item.value(forKey: "changed") as? Date)
            #expect(second > first)
            #expect(other.value(forKey: "changed") as? Date == otherBefore)

            // Nothing to write, so no new time.
            item.setValue("note", forKey: "note")
            item.setValue("changed", forKey: "name")
            try context.save()
            #expect(item.value(forKey: "changed") as? Date == second)
        }
    }

    // MARK: Optional or not

    /// An entity whose derived attributes must have a value, and the class that cures it.
    private static func required(_ className: String?) -> NSManagedObjectModel {
        let item = NSEntityDescription(
            "Item", attribute("name", .string), derived("NAME", .string, "uppercase:(name)", optional: false),
            derived("changed", .date, "now()", optional: false))
        item.managedObjectClassName = className
        return NSManagedObjectModel(of: item)
    }

    private final class CuredItem: NSManagedObject {
        override func awakeFromInsert() {
            setPrimitiveValue("", forKey: "NAME")
            setPrimitiveValue(Date.distantPast, forKey: "changed")
        }
    }

    @Test("The first save of an object without a required derived value fails")
    func requiredValueIsMissingAtFirstSave() throws {
        try folder.open(Self.required(nil)).inContext { context in
            let item = try context.insert("Item", ["name": "a"])
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1560)
            let details = try #require(refusal.userInfo[NSDetailedErrorsKey] as? [NSError])
            #expect(details.map(\.code) == [1570, 1570])
            #expect(
                Set(details.compactMap { $0.userInfo[NSValidationKeyErrorKey] as? String }) == [
                    "NAME", "changed",
                ])
            for detail in details {
                #expect(detail.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === item)
                #expect(detail.localizedDescription.contains("awakeFromInsert"))
                #expect(detail.localizedDescription.contains("setPrimitiveValue"))
            }
            #expect(item.isInserted)
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZITEM").description == "0")
    }

    @Test("An object whose awakeFromInsert sets its required derived values can be saved")
    func awakeFromInsertSetsRequiredValue() throws {
        NSManagedObjectModel.register(CuredItem.self)
        try folder.open(Self.required("CuredItem")).inContext { context in
            let item = try context.insert("Item", ["name": "a"])
            #expect(item.changedValues().keys.sorted() == ["name"])
            try context.save()
            #expect(item.value(forKey: "NAME") as? String == "A")
            #expect(try #require(item.value(forKey: "changed") as? Date) > Date.distantPast)
            item.setValue("b", forKey: "name")
            try context.save()
            #expect(item.value(forKey: "NAME") as? String == "B")
        }
    }

    // MARK: Setting

    @Test("Setting a derived attribute with checking throws and changes nothing")
    func checkedSettingThrows() throws {
        try folder.open(Self.stamped).inContext { context in
            let item = try context.insert("Item", ["name": "a"])
            let refusal = try error { try item.setValue(checking: Date(), forKey: "changed") }
            #expect(refusal.code == 1550)
            #expect(refusal.localizedDescription.contains("'changed'"))
            #expect(item.value(forKey: "changed") == nil)
        }
    }

    @Test("Setting a derived attribute by key stops the process")
    func settingByKeyStops() async {
        await #expect(processExitsWith: .failure) {
            let folder = try StoreFolder()
            try folder.open(DerivedRuleTests.stamped).inContext { context in
                try context.insert("Item").setValue(Date(), forKey: "changed")
            }
        }
    }

    @Test("A primitive value of a derived attribute marks no change and lasts until the save")
    func primitiveValueLastsUntilSave() throws {
        try folder.open(Self.stamped).inContext { context in
            let item = try context.insert("Item", ["name": "a"])
            try context.save()
            let saved = try #require(item.value(forKey: "changed") as? Date)
            item.setPrimitiveValue(Date.distantFuture, forKey: "changed")
            #expect(!item.hasChanges && !item.hasPersistentChangedValues)
            item.setValue("b", forKey: "name")
            #expect(item.changedValues().keys.sorted() == ["name"])
            try context.save()
            let shown = try #require(item.value(forKey: "changed") as? Date)
            #expect(shown > saved && shown < Date.distantFuture)
        }
    }

    // MARK: Unsupported derivations

    private func refusal(_ derivation: String, _ type: NSAttributeDescription.AttributeType = .string) throws
        -> NSError
    {
        let list = NSEntityDescription("List", attribute("name", .string), attribute("rank", .integer16))
        let item = NSEntityDescription(
            "Item", attribute("title", .string), Library.transient("fleeting", .string),
            attribute("size", .double), derived("made", type, derivation))
        pair(list.relate("items", to: item, many: true), item.relate("list", to: list))
        let found = try error { try folder.make(NSManagedObjectModel(of: list, item)) }
        #expect(try folder.names == [])
        return found
    }

    @Test(
        "A store refuses a derivation that is not supported, and its error names it",
        arguments: [
            "title.length", "list.items.title", "fleeting", "list", "canonical:(size)", "missing",
            "list.missing",
            "uppercase:(lowercase:(title))", "size + 1", "list.@count", "items.@count", "random()",
            "list.rank.@sum",
            "max({1, 2})", "list.items.@count",
        ])
    func unsupportedDerivationsAreRefused(_ derivation: String) throws {
        let refusal = try refusal(derivation)
        #expect(refusal.code == 134020)
        #expect(refusal.localizedDescription.contains("made"))
        let text = derivation.replacing(" ", with: "")
        let sentence = refusal.localizedDescription.replacing(" ", with: "")
        let names = derivation.split { !$0.isLetter }.map(String.init)
        #expect(
            sentence.contains(text) || names.allSatisfy(sentence.contains), "\(refusal.localizedDescription)")
    }

    @Test("A store refuses a derived attribute without a derivation")
    func missingDerivationIsRefused() throws {
        let made = NSDerivedAttributeDescription()
        made.name = "made"
        made.type = .string
        let refusal = try error {
            try folder.make(NSManagedObjectModel(of: NSEntityDescription("Item", made)))
        }
        #expect(refusal.code == 134020)
        #expect(refusal.localizedDescription.contains("Item.made"))
    }
}
