import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The metadata of an XML store as the property list in its file: strings are kept exactly.
///
/// Dates are written in whole seconds, as Apple's property lists have them.
struct XMLStorePropertyList {
    static let maximumDepth = 64

    /// The values as they will be read.
    let values: [String: Any]
    private(set) var text = ""

    /// - Throws: 134030 for what a property list in XML cannot hold.
    init(_ metadata: [String: Any]) throws {
        values = try Self.values(metadata, path: "metadata", depth: 0)
        text = "<plist version=\"1.0\">\n"
        write(values, indentation: "            ")
        text += "            </plist>\n"
    }

    // MARK: Checking

    private static func values(_ dictionary: [String: Any], path: String, depth: Int) throws -> [String: Any]
    {
        try checkDepth(depth, path)
        var values: [String: Any] = [:]
        for (key, value) in dictionary {
            try check(key, path)
            values[key] = try self.value(value, path: "\(path).\(key)", depth: depth + 1)
        }
        return values
    }

    private static func value(_ value: Any, path: String, depth: Int) throws -> Any {
        switch value {
        case let text as String:
            try check(text, path)
            return text
        case let data as Data: return data
        case let date as Date:
            return Date(
                timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
        case let number as NSNumber:
            guard number.doubleValue.isFinite else { throw refusal("\(number) at \(path)") }
            return number
        case let dictionary as [String: Any]:
            return try values(dictionary, path: path, depth: depth)
        case let array as [Any]:
            try checkDepth(depth, path)
            return try array.enumerated().map {
                try self.value($1, path: "\(path).\($0)", depth: depth + 1)
            }
        default: throw refusal("a value of type \(type(of: value)) at \(path)")
        }
    }

    private static func checkDepth(_ depth: Int, _ path: String) throws {
        guard depth < maximumDepth else {
            throw refusal("values nested more than \(maximumDepth) deep, as at \(path.prefix(100))")
        }
    }

    /// Refuses characters that XML does not have.
    static func check(_ text: String, _ path: String) throws {
        let isKept = text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 ? scalar.value & 0xFFFE != 0xFFFE : [9, 10, 13].contains(scalar.value)
        }
        guard isKept else { throw refusal("a string with a control character at \(path)") }
    }

    static func refusal(_ what: String) -> NSError {
        .coreData(.persistentStoreSave, "The metadata of an XML store cannot hold \(what).")
    }

    // MARK: Writing

    private mutating func write(_ value: Any, indentation: String) {
        switch value {
        case let value as String: line("string", XMLStoreFile.escaped(value), indentation)
        case let data as Data: line("data", data.base64EncodedString(), indentation)
        case let date as Date: line("date", date.formatted(.iso8601), indentation)
        case let number as NSNumber where number === NSNumber(value: true): text += "\(indentation)<true/>\n"
        case let number as NSNumber where number === NSNumber(value: false):
            text += "\(indentation)<false/>\n"
        case let number as NSNumber:
            let isReal = ["d", "f"].contains(String(cString: number.objCType))
            line(
                isReal ? "real" : "integer", isReal ? "\(number.doubleValue)" : number.stringValue,
                indentation)
        case let dictionary as [String: Any]:
            guard !dictionary.isEmpty else { return text += "\(indentation)<dict/>\n" }
            text += "\(indentation)<dict>\n"
            for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
                line("key", XMLStoreFile.escaped(key), indentation + "\t")
                write(value, indentation: indentation + "\t")
            }
            text += "\(indentation)</dict>\n"
        case let array as [Any]:
            guard !array.isEmpty else { return text += "\(indentation)<array/>\n" }
            text += "\(indentation)<array>\n"
            for element in array { write(element, indentation: indentation + "\t") }
            text += "\(indentation)</array>\n"
        default: break
        }
    }

    private mutating func line(_ element: String, _ content: String, _ indentation: String) {
        text += "\(indentation)<\(element)>\(content)</\(element)>\n"
    }
}

extension XMLStoreReader {
    /// Reads the property list after `<metadata>`, and the end of the element; does nothing when there is none.
    mutating func metadata() throws -> [String: Any] {
        var metadata: [String: Any] = [:]
        try pass()
        if !skip("</metadata") {
            let (name, _, isEmpty) = try startTag()
            guard name == "plist" else { throw fault("there is a <\(name)> in <metadata>") }
            if !isEmpty {
                try pass()
                guard let read = try propertyListValue(depth: 0) as? [String: Any] else {
                    throw fault("its metadata are not a dictionary")
                }
                metadata = read
                try pass()
                guard skip("</plist") else { throw fault("the property list has no end") }
                try endOfTag()
            }
            try pass()
            guard skip("</metadata") else { throw fault("<metadata> has no end") }
        }
        try endOfTag()
        return metadata
    }

    private mutating func propertyListValue(depth: Int) throws -> Any {
        guard depth <= XMLStorePropertyList.maximumDepth else {
            throw fault("its metadata are nested too deeply")
        }
        let (name, _, isEmpty) = try startTag()
        switch name {
        case "dict": return isEmpty ? [String: Any]() : try propertyListDictionary(depth)
        case "array": return isEmpty ? [Any]() : try propertyListArray(depth)
        default:
            let text = isEmpty ? "" : try text(upToEndOf: name)
            guard let value = Self.plainValue(name, text) else {
                throw fault("the <\(name)> of the metadata cannot be read")
            }
            return value
        }
    }

    private mutating func propertyListDictionary(_ depth: Int) throws -> [String: Any] {
        var dictionary: [String: Any] = [:]
        while true {
            try pass()
            if skip("</dict") {
                try endOfTag()
                return dictionary
            }
            let (name, _, isEmpty) = try startTag()
            guard name == "key" else { throw fault("there is a <\(name)> in place of a key") }
            let key = isEmpty ? "" : try text(upToEndOf: name)
            try pass()
            dictionary[key] = try propertyListValue(depth: depth + 1)
        }
    }

    private mutating func propertyListArray(_ depth: Int) throws -> [Any] {
        var array: [Any] = []
        while true {
            try pass()
            if skip("</array") {
                try endOfTag()
                return array
            }
            array.append(try propertyListValue(depth: depth + 1))
        }
    }

    private static func plainValue(_ name: String, _ text: String) -> Any? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch name {
        case "string": return text
        case "true": return true
        case "false": return false
        case "integer": return Int64(trimmed) ?? UInt64(trimmed).map { $0 as Any }
        case "real": return Double(trimmed)
        case "data": return Base64.data(text)
        case "date": return try? Date(trimmed, strategy: .iso8601)
        default: return nil
        }
    }
}
