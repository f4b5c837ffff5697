import CoreData
import Testing

/// Values of transformable attributes that can change in place: only a new value is a change.
@Suite struct InPlaceChangeTests {
    private let stack: TestStack

    init() throws { stack = try TestStack(TransformableFixture.model) }

    private func stored() throws -> [String]? {
        try stack.inContext { try $0.only("Thing").value(forKey: "plain") as? [String] }
    }

    @Test("A change of a transformable value in place is not saved")
    func inPlaceChangeIsNotSaved() throws {
        try stack.inContext { context in
            let list = NSMutableArray(array: ["a"])
            let thing = try context.insert("Thing", ["plain": list])
            try context.save()
            list.add("b")
            #expect(!thing.hasChanges && thing.changedValues().isEmpty && !context.hasChanges)
            // Another change of the object does not write it either.
            thing.setValue("named", forKey: "name")
            #expect(Array(thing.changedValues().keys) == ["name"])
            try context.save()
        }
        #expect(try stored() == ["a"])
    }

    @Test("Setting a new transformable value is a change")
    func newValueIsAChange() throws {
        try stack.inContext { context in
            let list = NSMutableArray(array: ["a"])
            let thing = try context.insert("Thing", ["plain": list])
            try context.save()
            list.add("b")
            thing.setValue(["a", "b", "c"] as NSArray, forKey: "plain")
            #expect(thing.hasPersistentChangedValues)
            try context.save()
        }
        #expect(try stored() == ["a", "b", "c"])
    }

    /// A value equal to the one that was changed in place is compared with what is stored.
    @Test("Setting a value equal to one changed in place is saved")
    func equalToTheChangedValue() throws {
        try stack.inContext { context in
            let list = NSMutableArray(array: ["a"])
            let thing = try context.insert("Thing", ["plain": list])
            try context.save()
            list.add("b")
            thing.setValue(["a", "b"] as NSArray, forKey: "plain")
            try context.save()
        }
        #expect(try stored() == ["a", "b"])
    }
}
