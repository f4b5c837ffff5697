import CoreData

// Values of transformable attributes, and their transformers.

/// A colour, archived by secure coding.
final class Color: NSObject, NSSecureCoding {
    static let supportsSecureCoding = true
    let hex: String

    init(_ hex: String) { self.hex = hex }

    init?(coder: NSCoder) {
        guard let hex = coder.decodeObject(of: NSString.self, forKey: "hex") else { return nil }
        self.hex = hex as String
    }

    func encode(with coder: NSCoder) { coder.encode(hex as NSString, forKey: "hex") }

    override func isEqual(_ object: Any?) -> Bool { (object as? Color)?.hex == hex }
    override var hash: Int { hex.hashValue }
}

/// A class that no transformer allows.
final class Stranger: NSObject, NSSecureCoding {
    static let supportsSecureCoding = true
    override init() {}
    init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
}

/// As in Apple's guide: for one class, registered by name.
final class ColorToDataTransformer: NSSecureUnarchiveFromDataTransformer {
    override class func allowsReverseTransformation() -> Bool { true }
    override class func transformedValueClass() -> AnyClass { Color.self }
    override class var allowedTopLevelClasses: [AnyClass] { [Color.self] }
}

/// A transformer of the plain kind: it makes data of a value.
final class DatesToData: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }

    override func transformedValue(_ value: Any?) -> Any? {
        guard let days = value as? [Int], !days.contains(13) else { return nil }
        if days == [0] { return "no data" }
        return Data(days.map { UInt8($0) })
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Data)?.map(Int.init) }
}

/// A value of Swift's own.
struct Address: Codable, Equatable {
    var street: String
    var floors: [Int: String] = [:]
}

enum Mood: String, Codable { case calm, wild }

enum TransformableFixture {
    /// A model with an attribute for each way of transforming.
    static let model: NSManagedObjectModel = {
        ValueTransformer.setValueTransformer(ColorToDataTransformer(), forName: .init("ColorToData"))
        ValueTransformer.setValueTransformer(DatesToData(), forName: .init("DatesToData"))
        CodableTransformer<Address>.register(forName: .init("Address"))
        CodableTransformer<Mood>.register(forName: .init("Mood"), format: .json)
        return NSManagedObjectModel(
            of: NSEntityDescription(
                "Thing", attribute("name", .string), transformable("plain"),
                transformable("named", "NSSecureUnarchiveFromData"), transformable("color", "ColorToData"),
                transformable("days", "DatesToData"), transformable("address", "Address"),
                transformable("mood", "Mood"), transformable("unknown", "NobodyKnows"),
                transformable("old", "NSKeyedUnarchiveFromData")))
    }()
}
