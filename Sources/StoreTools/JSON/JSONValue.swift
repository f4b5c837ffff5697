/// A value of JSON. Numbers keep their text, of which no digit is lost.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The length of a string in bytes; 0 for any other value.
    var textLength: Int {
        if case .string(let text) = self { text.utf8.count } else { 0 }
    }

    /// What kind of value it is, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
