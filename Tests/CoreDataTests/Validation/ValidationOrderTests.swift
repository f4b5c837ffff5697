import CoreData
import Testing

/// What is checked before what.
@Suite struct ValidationOrderTests {
    final class Checked: NSManagedObject {
        override class var registeredValidators: [String: ManagedValidator] {
            [
                "name": .method { (object: Checked, value: inout String?) in
                    guard let context = object.managedObjectContext else { return }
                    context.userInfo["seen"] =
                        (context.userInfo["seen"] as? [String] ?? []) + [value ?? "nil"]
                }
            ]
        }
    }

    private static func model() -> NSManagedObjectModel {
        let name = attribute("name", .string, optional: false)
        name.setValidationPredicates(
            [NSPredicate(format: "length >= 3")], withValidationWarnings: ["too short"])
        let checked = NSEntityDescription.make("Checked", class: Checked.self, [name])
        checked.add(attribute("rank", .integer32, defaultValue: 1))
        return NSManagedObjectModel(of: checked)
    }

    /// A rule of the class sees only values that the model allows.
    @Test("The model's rules are checked before those of the class")
    func modelBeforeClass() throws {
        try TestStack(Self.model()).inContext { context in
            let object = try context.insert("Checked", ["name": "ab"])
            let refusal = try error { try object.validateForInsert() }
            #expect(refusal.code == 1550 && refusal.localizedDescription == "too short")
            #expect(context.userInfo["seen"] == nil)
            object.setValue("abc", forKey: "name")
            try object.validateForInsert()
            #expect(context.userInfo["seen"] as? [String] == ["abc"])
        }
    }

    /// An invalid and stale object is reported as invalid; it is compared with the store only once it is
    /// valid.
    @Test("Validation comes before the check for conflicts")
    func validationBeforeConflicts() throws {
        let stack = try TestStack(Self.model())
        try stack.inContext { context in
            try context.insert("Checked", ["name": "first"])
            try context.save()
        }
        try stack.inContext { context in
            let object = try context.only("Checked")
            object.setValue("x", forKey: "name")
            try stack.inContext { other in
                try other.only("Checked").setValue(7, forKey: "rank")
                try other.save()
            }
            #expect(try error { try context.save() }.code == 1550)
            object.setValue("mine", forKey: "name")
            #expect(try error { try context.save() }.code == 133020)
        }
    }

    /// A mandatory property may be without a value until the context is saved.
    @Test("A mandatory value may be nil until the save")
    func mandatoryValueAtTheSave() throws {
        try TestStack(Self.model()).inContext { context in
            let object = try context.insert("Checked", ["name": "first"])
            try context.save()
            object.setValue(nil, forKey: "name")
            context.processPendingChanges()
            #expect(object.value(forKey: "name") == nil && object.hasPersistentChangedValues)
            #expect(try error { try context.save() }.code == 1570)
            #expect(object.value(forKey: "name") == nil && object.isUpdated)
            object.setValue("second", forKey: "name")
            try context.save()
            #expect(!context.hasChanges)
        }
    }
}
