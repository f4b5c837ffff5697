import CoreData
import Testing

/// Values that validation replaces during a save are saved, and later changes are noticed.
@Suite struct ValidatedValueTests {
    final class Trimmed: NSManagedObject {
        override func validateValue(_ value: inout Any?, forKey key: String) throws {
            try super.validateValue(&value, forKey: key)
            if let text = value as? String { value = text.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("A value replaced by validation is saved, and later changes are saved too")
    func replacedValueIsSaved() throws {
        NSManagedObjectModel.register(Trimmed.self)
        let entity = NSEntityDescription("Trimmed", attribute("text", .string))
        entity.managedObjectClassName = "Trimmed"
        let folder = try StoreFolder()
        try folder.open(NSManagedObjectModel(of: entity)).inContext { context in
            let object = try context.insert("Trimmed", ["text": " a "])
            try context.save()
            #expect(object.value(forKey: "text") as? String == "a")
            #expect(!context.hasChanges)
            object.setValue(" b ", forKey: "text")
            #expect(object.isUpdated && context.hasChanges)
            try context.save()
            #expect(!context.hasChanges)
            object.setValue("c", forKey: "text")
            try context.save()
        }
        #expect(try folder.stored("ZTEXT", "Z_OPT", in: "ZTRIMMED") == ["text 'c'", "integer 3"])
    }
}
