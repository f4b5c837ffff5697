import Foundation
import Testing

@testable import CocoaFoundation

/// As in Apple's sample "Handling Different Data Types in Core Data".
private final class ShadeTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [Shade.self] }

    override class func transformedValueClass() -> AnyClass { Shade.self }

    override func transformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data else { return nil }
        return super.transformedValue(data)
    }
}

@Suite struct SecureUnarchiveTests {
    private let transformer = NSSecureUnarchiveFromDataTransformer()

    @Test("The transformer unarchives data, and archives in reverse")
    func transformsFromData() throws {
        let data = try #require(transformer.reverseTransformedValue(["k": [1, 2]]) as? Data)
        let object = try #require(transformer.transformedValue(data) as? NSDictionary)
        #expect(object == ["k": [1, 2]])
        #expect(NSSecureUnarchiveFromDataTransformer.allowsReverseTransformation())
        #expect(
            ValueTransformer(forName: .secureUnarchiveFromDataTransformerName)
                is NSSecureUnarchiveFromDataTransformer)
    }

    @Test("The transformer of nil gives nil")
    func noValueGivesNoValue() throws {
        #expect(try transformer.checkedTransformedValue(nil) == nil)
        #expect(try transformer.checkedReverseTransformedValue(nil) == nil)
    }

    @Test("The allowed classes are Apple's by default")
    func theDefaultClassesAreApples() {
        let names = NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses.map { NSStringFromClass($0) }
        #expect(
            names == [
                "NSArray", "NSDictionary", "NSSet", "NSString", "NSNumber", "NSDate", "NSData", "NSURL",
                "NSUUID",
                "NSNull",
            ])
    }

    @Test("A subclass decides which classes are allowed")
    func aSubclassNamesItsOwnClasses() throws {
        let data = try #require(ShadeTransformer().reverseTransformedValue(Shade(white: 0.5)) as? Data)
        #expect(ShadeTransformer().transformedValue(data) as? Shade == Shade(white: 0.5))
        #expect(transformer.transformedValue(data) == nil)
        // The override of the method that cannot throw is used, and the error of the one it calls arrives.
        let text = try #require(transformer.reverseTransformedValue("text") as? Data)
        let error = #expect(throws: CocoaError.self) { try ShadeTransformer().checkedTransformedValue(text) }
        #expect(error?.code == .coderReadCorrupt)
        #expect(error?.localizedDescription.contains("\"NSString\"") == true)
        #expect(error?.localizedDescription.contains("CocoaFoundationTests.Shade") == true)
    }

    @Test("An object of a class that is not allowed is not archived")
    func objectsOfOtherClassesAreNotArchived() {
        #expect(transformer.reverseTransformedValue(Shade(white: 1)) == nil)
        let error = #expect(throws: CocoaError.self) {
            try transformer.checkedReverseTransformedValue(Shade(white: 1))
        }
        #expect(error?.code == .coderInvalidValue)
        #expect(error?.localizedDescription.contains("CocoaFoundationTests.Shade") == true)
        // The outermost class is allowed, one inside does not support secure coding.
        let inner = #expect(throws: CocoaError.self) {
            try transformer.checkedReverseTransformedValue([InsecureNote()])
        }
        #expect(inner?.localizedDescription.contains("CocoaFoundationTests.InsecureNote") == true)
    }

    @Test("A value that is not an archive throws a reason")
    func otherValuesGiveAReason() {
        #expect(transformer.transformedValue("text") == nil)
        #expect(throws: CocoaError.self) { try transformer.checkedTransformedValue("text") }
        let error = #expect(throws: CocoaError.self) {
            try transformer.checkedTransformedValue(Data([1, 2]))
        }
        #expect(error?.code == .coderReadCorrupt)
    }

    /// A structure that Foundation has no class for is not boxed into an archive.
    @Test("A Swift structure is not archived")
    func swiftStructuresAreNotArchived() {
        struct Point { let x: Int }
        #expect(throws: CocoaError.self) { try transformer.checkedReverseTransformedValue(Point(x: 1)) }
        #expect(throws: CocoaError.self) { try transformer.checkedReverseTransformedValue([Point(x: 1)]) }
    }
}
