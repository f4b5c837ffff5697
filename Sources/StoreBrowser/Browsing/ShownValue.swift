import CoreData
import StoreTools

/// A value as a page shows it: text, and what it is.
struct ShownValue: Encodable, Sendable, Equatable {
    enum Kind: String, Encodable, Sendable {
        case null, text, number, boolean, date, bytes, object, other
    }

    let kind: Kind
    let text: String
    /// Whether there is more than the text.
    var isCut = false
    /// Which object a relationship leads to.
    var target: String?

    static let null = ShownValue(kind: .null, text: "")

    /// The value of a stored or transient attribute.
    ///
    /// - Parameter longest: the most bytes of text.
    init(_ object: NSManagedObject, _ attribute: NSAttributeDescription, longest: Int) {
        switch attribute.attributeType {
        case .transformableAttributeType:
            // Decoding is for who looks at one object.
            self.init(kind: .other, text: attribute.valueTransformerName ?? "archive")
        case .binaryDataAttributeType where attribute.allowsExternalBinaryDataStorage:
            // What may be in a file is read for one object only.
            self.init(kind: .bytes, text: "data")
        default: self.init(object.primitiveValue(forKey: attribute.name), attribute.attributeType, longest)
        }
    }

    init(kind: Kind, text: String, isCut: Bool = false, target: String? = nil) {
        self.kind = kind
        self.text = text
        self.isCut = isCut
        self.target = target
    }

    init(_ object: NSManagedObjectID) {
        let text = object.toolReference.description
        self.init(kind: .object, text: text, target: text)
    }

    init(_ value: Any?, _ type: NSAttributeType, _ longest: Int) {
        switch value {
        case nil, is NSNull: self = .null
        case let number as NSNumber where type == .booleanAttributeType:
            self.init(kind: .boolean, text: number.boolValue ? "true" : "false")
        case let text as String: self.init(.text, text, longest)
        case let date as Date:
            let seconds = date.timeIntervalSinceReferenceDate
            self.init(kind: .date, text: MomentText.text(seconds) ?? "\(seconds)")
        case let uuid as UUID: self.init(kind: .text, text: uuid.uuidString)
        case let url as URL: self.init(.text, url.absoluteString, longest)
        case let data as Data:
            self.init(kind: .bytes, text: "\(data.count) byte\(data.count == 1 ? "" : "s")")
        case let number as NSNumber: self.init(kind: .number, text: "\(number)")
        case let composite as [String: Any]:
            let parts = composite.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            self.init(.other, parts.joined(separator: ", "), longest)
        case .some(let value): self.init(.other, "\(value)", longest)
        }
    }

    private init(_ kind: Kind, _ text: String, _ longest: Int) {
        let start = text.prefix(bytes: longest)
        self.init(kind: kind, text: start, isCut: start.utf8.count < text.utf8.count)
    }
}
