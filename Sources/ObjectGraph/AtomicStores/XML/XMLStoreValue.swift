import Foundation
import ManagedObjectModel

/// The values of attributes as an XML store writes them.
///
/// Numbers, Booleans, strings and binary data are as in Apple's files. Dates are seconds since 2001, as documented.
/// For UUIDs, URIs and transformable attributes no file of Apple's was available: those are written as their usual strings, and
/// the archive like other binary data.
package enum XMLStoreValue {
    /// The name of a type in the file.
    static func typeName(_ kind: SlotKind) -> String {
        switch kind {
        case .integer16: "int16"
        case .integer32: "int32"
        case .integer64: "int64"
        case .boolean: "bool"
        case .double: "double"
        case .float: "float"
        case .date: "date"
        case .decimal: "decimal"
        case .string: "string"
        case .uri: "uri"
        case .uuid: "uuid"
        case .binary, .transformable: "binary"
        case .composite, .undefined, .toOne, .toMany, .fetched: "undefined"
        }
    }

    /// The type of attributes that the file names so; nil for a name that is unknown.
    static func attributeType(_ name: String) -> NSAttributeType? {
        switch name {
        case "int16": .integer16AttributeType
        case "int32": .integer32AttributeType
        case "int64": .integer64AttributeType
        case "bool": .booleanAttributeType
        case "double": .doubleAttributeType
        case "float": .floatAttributeType
        case "date": .dateAttributeType
        case "decimal": .decimalAttributeType
        case "string": .stringAttributeType
        case "uri": .URIAttributeType
        case "uuid": .UUIDAttributeType
        case "binary": .binaryDataAttributeType
        case "transformable": .transformableAttributeType
        default: nil
        }
    }

    /// The value of a text, for a cache node; nil when it is none of the slot's type.
    package static func value(_ text: String, _ slot: PropertySlot) -> Any? {
        switch slot.kind {
        case .integer16, .integer32, .integer64:
            guard let number = Int64(text), slot.kind.integerRange.contains(number) else { return nil }
            return SlotValue.integer(number).anyValue(slot.kind)
        case .boolean: return Int64(text).map { NSNumber(value: $0 != 0) }
        case .double, .float, .date: return Double(text).flatMap { SlotValue.double($0).anyValue(slot.kind) }
        case .decimal:
            return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map {
                NSDecimalNumber(decimal: $0)
            }
        case .string: return XMLStoreText.unescaped(text)
        case .uri: return URL(string: XMLStoreText.unescaped(text))
        case .uuid: return UUID(uuidString: text)
        case .binary: return Base64.data(text)
        case .transformable: return Base64.data(text).map { ArchivedValue($0, slot) }
        case .composite, .undefined, .toOne, .toMany, .fetched: return nil
        }
    }

    /// The text of a value of a cache node.
    ///
    /// - Throws: 1550 for a value of another type, 134060 for one that a transformer refuses.
    static func text(_ value: Any, _ slot: PropertySlot) throws -> String {
        if let archived = value as? ArchivedValue { return archived.data.base64EncodedString() }
        switch try SlotValue(value, for: slot) {
        case .integer(let number): return String(number)
        case .double(let number):
            guard number.isFinite else {
                throw NSError.coreData(
                    .persistentStoreSave, "An XML store cannot keep \(number), the value of '\(slot.name)'.")
            }
            // The shortest text that reads as the same number.
            return slot.kind == .float ? "\(Float(number))" : "\(number)"
        case .string(let text): return escaped(text)
        case .data(let data): return data.base64EncodedString()
        case .uuid(let uuid): return uuid.uuidString
        case .url(let url): return escaped(url.absoluteString)
        case .decimal(let number):
            guard !number.isNaN else {
                throw NSError.coreData(
                    .persistentStoreSave,
                    "An XML store cannot keep NaN (not a number), the value of '\(slot.name)'.")
            }
            return "\(number)"
        case .boxed(let box): return try TransformableValue.encode(box.value, slot).base64EncodedString()
        case .unloaded, .null, .object, .toMany: return ""
        }
    }

    /// The escapes of XML stores: see `XMLStoreText.unescaped(_:)`. Space that readers of XML may drop, and characters that XML
    /// does not have, are escaped, too.
    static func escaped(_ text: String) -> String {
        let units = Array(text.utf16)
        let isBlank = units.allSatisfy { $0 <= 0x20 }
        guard isBlank || units.contains(where: mustEscape) else { return text }
        var result: [UInt16] = []
        for unit in units {
            if unit == 0x5C {
                result += [0x5C, 0x5C]
            } else if isBlank || mustEscape(unit) {
                let digits = String(unit.byteSwapped, radix: 16)
                result += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf16
            } else {
                result.append(unit)
            }
        }
        return String(decoding: result, as: UTF16.self)
    }

    private static func mustEscape(_ unit: UInt16) -> Bool {
        switch unit {
        case 0x26, 0x3C, 0x3E, 0x5C, 0x0D, 0xFFFE, 0xFFFF: true
        default: unit < 0x20 && unit != 0x09 && unit != 0x0A
        }
    }
}
