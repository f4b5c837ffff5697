import Testing

import CoreData
@testable import ObjectGraph

/// Classes that check values themselves are called; for others a save makes no call for each property.
@Suite struct MethodOverrideTests {
    class Checking: NSManagedObject {
        override func validateValue(_ value: inout Any?, forKey key: String) throws {
            if key == "name", value as? String == "refused" { throw NSError(domain: "Checking", code: 5) }
            try super.validateValue(&value, forKey: key)
        }
    }

    final class Inheriting: Checking {}

    class Plain: NSManagedObject {
        override func validateForInsert() throws { try super.validateForInsert() }
        override func willSave() {}
    }

    final class PlainSubclass: Plain {
        override func value(forKey key: String) -> Any? { super.value(forKey: key) }
    }

    @Test("An override of validateValue is found in a class and its subclasses")
    func overrideIsFound() {
        #expect(MethodOverrides.overridesValueValidation(Checking.self))
        #expect(MethodOverrides.overridesValueValidation(Inheriting.self))
    }

    @Test("Overrides of other methods do not count")
    func otherOverrides() {
        #expect(!MethodOverrides.overridesValueValidation(NSManagedObject.self))
        #expect(!MethodOverrides.overridesValueValidation(Plain.self))
        #expect(!MethodOverrides.overridesValueValidation(PlainSubclass.self))
    }

    @Test(
        "Only a class that overrides validateValue refuses a value",
        arguments: [("Checking", true), ("Inheriting", true), ("Plain", false)])
    func onlyOverridesRefuse(_ name: String, _ refuses: Bool) throws {
        for type in [Checking.self, Inheriting.self, Plain.self] { NSManagedObjectModel.register(type) }
        let entity = NSEntityDescription(name, attribute("name", .string))
        entity.managedObjectClassName = name
        let folder = try StoreFolder()
        let coordinator = try folder.open(NSManagedObjectModel(of: entity))
        try coordinator.inContext { context in
            try context.insert(name, ["name": "refused"])
            if refuses {
                #expect(try error { try context.save() }.code == 5)
            } else {
                try context.save()
            }
        }
        #expect(
            try folder.value("SELECT COUNT(*) FROM Z\(name.uppercased())").description
                == (refuses ? "0" : "1"))
    }

    /// What the quick check of a save may not let pass.
    @Test("Missing values and NaN are found without an override")
    func missingValuesAreFound() throws {
        let entity = NSEntityDescription(
            "Plain", attribute("count", .integer64, optional: false),
            attribute("price", .double, optional: false), attribute("note", .string, optional: false))
        entity.managedObjectClassName = "Plain"
        NSManagedObjectModel.register(Plain.self)
        let folder = try StoreFolder()
        try folder.open(NSManagedObjectModel(of: entity)).inContext { context in
            let object = try context.insert("Plain", ["count": 1, "price": Double.nan, "note": "a"])
            #expect(try error { try context.save() }.userInfo[NSValidationKeyErrorKey] as? String == "price")
            object.setValue(1.5, forKey: "price")
            object.setValue(nil, forKey: "count")
            #expect(try error { try context.save() }.userInfo[NSValidationKeyErrorKey] as? String == "count")
            object.setValue(2, forKey: "count")
            try context.save()
            object.setValue(nil, forKey: "note")
            #expect(try error { try context.save() }.userInfo[NSValidationKeyErrorKey] as? String == "note")
        }
    }
}
