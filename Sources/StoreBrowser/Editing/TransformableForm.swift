import CocoaFoundation
import CoreData

/// How the value of a transformable attribute can be changed.
struct TransformableForm: Encodable, Sendable {
    /// The value as JSON, if it can be changed as that; empty for no value.
    var json: String?
    /// Whether it can be made no value.
    var canClear = false
    /// Why the value cannot be typed.
    var note: String?

    /// - Parameter isStored: whether the store has bytes for the value.
    init(_ value: Any?, isStored: Bool, _ attribute: NSAttributeDescription) {
        canClear = value != nil
        switch value {
        case nil where isStored: note = "Its transformer refuses the stored value, which is kept unchanged."
        case nil:
            if Self.transformer(of: attribute) == nil {
                note = "\(Self.unknown(attribute)) No value can be entered."
            } else {
                json = ""
            }
        case let archive as OpaqueArchive:
            // What a program that has the class would do about it says nothing to who looks at the store.
            let reason = Self.transformer(of: attribute) == nil ? Self.unknown(attribute) : archive.reason
            note = "\(reason) It can only be cleared."
        case .some(let value):
            json = Self.transformer(of: attribute) == nil ? nil : PlainValueText.text(value)
            if json == nil { note = "It is not made of plain values: it can only be cleared." }
        }
    }

    /// The value that a string stands for, which the transformer has to accept.
    ///
    /// - Throws: `BrowsingError`.
    static func value(_ text: String, of attribute: NSAttributeDescription) throws -> Any {
        guard let transformer = transformer(of: attribute) else {
            throw BrowsingError(
                "\(unknown(attribute)) No value can be entered.", code: "value", field: attribute.name)
        }
        let value = try PlainValueText.value(text, of: attribute)
        do {
            guard try transformer.storedData(for: value) != nil else {
                throw BrowsingError(
                    "The transformer returns nil for this value.", code: "value", field: attribute.name)
            }
        } catch let error as BrowsingError {
            throw error
        } catch {
            throw BrowsingError(
                "The transformer refuses this value: \(error.localizedDescription)", code: "value",
                field: attribute.name)
        }
        return value
    }

    private static func unknown(_ attribute: NSAttributeDescription) -> String {
        "The transformer '\(attribute.valueTransformerName ?? "")' is not known here."
    }

    private static func transformer(of attribute: NSAttributeDescription) -> ValueTransformer? {
        let name = attribute.valueTransformerName ?? ""
        return ValueTransformer(
            forName: name.isEmpty
                ? .secureUnarchiveFromDataTransformerName : NSValueTransformerName(name))
    }
}
