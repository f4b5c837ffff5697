import Foundation
import Testing

@testable import CocoaFoundation

extension NSValueTransformerName {
    fileprivate static let shouting = NSValueTransformerName("ValueTransformerTests.Shouting")
    fileprivate static let missing = NSValueTransformerName("ValueTransformerTests.Missing")
}

/// A transformer as clients write them.
private final class Shouting: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSString.self }

    override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.uppercased() }

    override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? String)?.lowercased() }
}

private struct Reason: Error, Equatable { let text: String }

/// A transformer that reports why it fails.
private class Reasoning: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
        _ = transformationFailed(with: Reason(text: "first"))
        return transformationFailed(with: Reason(text: "second"))
    }
}

/// A transformer that goes on after another one failed.
private final class Recovering: Reasoning {
    override func transformedValue(_ value: Any?) -> Any? { super.transformedValue(value) ?? "substitute" }
}

@Suite struct ValueTransformerTests {
    // MARK: The registry

    @Test("A registered transformer is found by its name until it is removed")
    func theRegisteredObjectIsGivenOut() throws {
        let transformer = Shouting()
        ValueTransformer.setValueTransformer(transformer, forName: .shouting)
        #expect(ValueTransformer(forName: .shouting) === transformer)
        #expect(Shouting(forName: .shouting) === transformer)
        #expect(ValueTransformer.valueTransformerNames().contains(.shouting))
        // It is not found as another class.
        #expect(NSSecureUnarchiveFromDataTransformer(forName: .shouting) == nil)

        let other = Shouting()
        ValueTransformer.setValueTransformer(other, forName: .shouting)
        #expect(ValueTransformer(forName: .shouting) === other)
        ValueTransformer.setValueTransformer(nil, forName: .shouting)
        #expect(ValueTransformer(forName: .shouting) == nil)
        #expect(!ValueTransformer.valueTransformerNames().contains(.shouting))
    }

    @Test("An unknown name gives nil")
    func anUnknownNameGivesNothing() {
        #expect(ValueTransformer(forName: .missing) == nil)
    }

    @Test("The stock transformers are registered, and names are sorted")
    func stockTransformersAreThere() {
        let names = ValueTransformer.valueTransformerNames().map(\.rawValue)
        #expect(
            Set(["NSNegateBoolean", "NSIsNil", "NSIsNotNil", "NSSecureUnarchiveFromData"]).isSubset(of: names)
        )
        #expect(names == names.sorted())
    }

    @Test("Insecure transformers are not registered")
    func insecureTransformersAreNot() {
        for name in ["NSKeyedUnarchiveFromData", "NSUnarchiveFromData"] {
            #expect(ValueTransformer(forName: NSValueTransformerName(name)) == nil)
        }
    }

    @Test("Many tasks may register transformers at once")
    func theRegistryTakesManyThreads() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let name = NSValueTransformerName("ValueTransformerTests.\(number)")
                    ValueTransformer.setValueTransformer(Shouting(), forName: name)
                    #expect(ValueTransformer(forName: name) is Shouting)
                    _ = ValueTransformer.valueTransformerNames()
                    ValueTransformer.setValueTransformer(nil, forName: name)
                }
            }
        }
    }

    // MARK: The stock transformers of truth values

    @Test("The negating transformer negates Booleans both ways")
    func negateBoolean() throws {
        let negate = try #require(ValueTransformer(forName: .negateBooleanTransformerName))
        #expect(negate.transformedValue(true) as? Bool == false)
        #expect(negate.transformedValue(NSNumber(value: false)) as? Bool == true)
        #expect(negate.transformedValue(nil) as? Bool == true)
        #expect(negate.reverseTransformedValue(true) as? Bool == false)
        #expect(NSStringFromClass(type(of: negate).transformedValueClass()) == "NSNumber")
        #expect(type(of: negate).allowsReverseTransformation())
    }

    @Test("The nil transformers compare with nil, in one direction only")
    func isNilAndIsNotNil() throws {
        let isNil = try #require(ValueTransformer(forName: .isNilTransformerName))
        let isNotNil = try #require(ValueTransformer(forName: .isNotNilTransformerName))
        #expect(isNil.transformedValue(nil) as? Bool == true)
        #expect(isNil.transformedValue(0) as? Bool == false)
        #expect(isNotNil.transformedValue(nil) as? Bool == false)
        #expect(isNotNil.transformedValue(0) as? Bool == true)
        #expect(!type(of: isNil).allowsReverseTransformation())
        let error = #expect(throws: CocoaError.self) { try isNil.checkedReverseTransformedValue(true) }
        #expect(error?.code == .featureUnsupported)
    }

    // MARK: The base class and its failures

    @Test("The base class returns its value unchanged")
    func theBaseClassGivesBackWhatItGets() {
        let base = ValueTransformer()
        #expect(base.transformedValue("a") as? String == "a")
        #expect(base.reverseTransformedValue("a") as? String == "a")
        #expect(NSStringFromClass(ValueTransformer.transformedValueClass()) == "NSObject")
        #expect(ValueTransformer.allowsReverseTransformation())
    }

    @Test("The first reason of a failed transformation is thrown")
    func theFirstReasonIsThrown() {
        #expect(Reasoning().transformedValue("a") == nil)
        #expect(throws: Reason(text: "first")) { try Reasoning().checkedTransformedValue("a") }
        #expect(throws: Reason(text: "first")) { try Reasoning().checkedReverseTransformedValue("a") }
    }

    @Test("A reason is dropped if there is a value")
    func aReasonIsForgottenWhenThereIsAValue() throws {
        #expect(try Recovering().checkedTransformedValue("a") as? String == "substitute")
    }

    @Test("A transformer that fails without a reason gives nil")
    func aTransformerWithoutReasonsGivesNothing() throws {
        #expect(try Shouting().checkedTransformedValue(5) == nil)
        #expect(try Shouting().checkedTransformedValue("a") as? String == "A")
    }

    @Test("Reasons of concurrent transformations do not mix")
    func reasonsOfSeveralThreadsDoNotMix() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        #expect(throws: Reason(text: "first")) {
                            try Reasoning().checkedTransformedValue("a")
                        }
                    } else {
                        #expect(throws: Never.self) { try Shouting().checkedTransformedValue(5) }
                    }
                }
            }
        }
    }

    // MARK: What a store requests

    @Test("A transformer to data makes the stored data")
    func ordinaryTransformersMakeTheStoredData() throws {
        final class Reversing: ValueTransformer {
            override func transformedValue(_ value: Any?) -> Any? {
                (value as? [UInt8]).map { Data($0.reversed()) }
            }
            override func reverseTransformedValue(_ value: Any?) -> Any? {
                (value as? Data).map { [UInt8]($0.reversed()) }
            }
        }
        let data = try #require(try Reversing().storedData(for: [1, 2, 3] as [UInt8]))
        #expect(data == Data([3, 2, 1]))
        #expect(try Reversing().value(fromStored: data) as? [UInt8] == [1, 2, 3])
        #expect(try Reversing().storedData(for: nil) == nil)
        #expect(try Reversing().value(fromStored: nil) == nil)
        #expect(throws: CocoaError.self) { try Shouting().storedData(for: "not data") }
    }

    @Test("A transformer from data is applied in reverse")
    func unarchivingTransformersAreAppliedInReverse() throws {
        let transformer = NSSecureUnarchiveFromDataTransformer()
        let data = try #require(try transformer.storedData(for: ["a", "b"]))
        #expect(data.starts(with: Data("bplist00".utf8)))
        #expect(try transformer.value(fromStored: data) as? [String] == ["a", "b"])
        #expect(throws: CocoaError.self) { try transformer.value(fromStored: Data([1])) }
        #expect(throws: CocoaError.self) { try transformer.storedData(for: Reason(text: "")) }
    }

    @Test("Values are compared by their own equality, and opaque ones are unequal")
    func valuesCompareThemselves() {
        struct Opaque {}
        #expect(ValueTransformer.areEqual(nil, nil))
        #expect(!ValueTransformer.areEqual(nil, 1))
        #expect(ValueTransformer.areEqual(Reason(text: "a"), Reason(text: "a")))
        #expect(!ValueTransformer.areEqual(Reason(text: "a"), Reason(text: "b")))
        #expect(ValueTransformer.areEqual(NSMutableArray(array: [1]), NSArray(array: [1])))
        #expect(ValueTransformer.areEqual(["a": [1]], ["a": [1]]))
        #expect(!ValueTransformer.areEqual(Opaque(), Opaque()))
    }
}
