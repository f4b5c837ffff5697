import CoreData

/// Values of property lists as JSON: data as `{"$data": base64}`, dates as `{"$date": …}`, real numbers that JSON does not
/// have as `{"$real": "inf"}`. Where the only key of a dictionary begins with `$`, it gets another one before it.
package enum PropertyListJSON {
    private static let data = "$data"
    private static let date = "$date"
    private static let real = "$real"
    private static let maximumDepth = 64

    /// - Throws: an error for a value that no property list has.
    package static func json(_ value: Any) throws -> JSONValue { try json(value, depth: 0) }

    private static func json(_ value: Any, depth: Int) throws -> JSONValue {
        guard depth < maximumDepth else { throw StoreToolError("The property list is too deep.") }
        switch value {
        case let text as String: return .string(text)
        case let data as Data: return .object([Self.data: .string(data.base64EncodedString())])
        case let date as Date:
            let seconds = date.timeIntervalSinceReferenceDate
            let text = MomentText.text(seconds).map(JSONValue.string)
            return .object([Self.date: text ?? (seconds.isFinite ? number(seconds) : .string("\(seconds)"))])
        case let list as [Any]: return .array(try list.map { try json($0, depth: depth + 1) })
        case let dictionary as [String: Any]:
            let members = try dictionary.mapValues { try json($0, depth: depth + 1) }
            if members.count == 1, let (name, member) = members.first, name.hasPrefix("$") {
                return .object(["$\(name)": member])
            }
            return .object(members)
        case let number as NSNumber:
            // A Boolean of a property list is the one NSNumber of type character.
            if String(cString: number.objCType) == "c" { return .bool(number.boolValue) }
            if ["d", "f"].contains(String(cString: number.objCType)) {
                return Self.number(number.doubleValue)
            }
            return .number("\(number)")
        default: throw StoreToolError("A \(type(of: value)) is not a value of a property list.")
        }
    }

    private static func number(_ value: Double) -> JSONValue {
        value.isFinite ? .number("\(value)") : .object([real: .string("\(value)")])
    }

    /// - Throws: an error for null, which property lists do not have, and for what no date or data is.
    package static func propertyList(_ value: JSONValue) throws -> Any {
        switch value {
        case .null: throw StoreToolError("Property lists have no null.")
        case .bool(let flag): return NSNumber(value: flag)
        case .number(let text):
            if let integer = Int64(text) { return NSNumber(value: integer) }
            if let integer = UInt64(text) { return NSNumber(value: integer) }
            guard text.contains(where: { ".eE".contains($0) }) else {
                throw StoreToolError("'\(text)' is not a whole number of 64 bits.")
            }
            guard let real = Double(text), real.isFinite else {
                throw StoreToolError("'\(text)' is not a number, or too large.")
            }
            return NSNumber(value: real)
        case .string(let text): return text
        case .array(let elements): return try elements.map(propertyList)
        case .object(let members):
            guard members.count == 1, let (name, member) = members.first else {
                return try members.mapValues(propertyList)
            }
            switch (name, member) {
            case (data, .string(let text)):
                guard let data = Data(base64Encoded: text) else {
                    throw StoreToolError("'\(name)' is not in base64.")
                }
                return data
            case (date, .string(let text)), (date, .number(let text)):
                guard let seconds = MomentText.seconds(text) ?? Double(text) else {
                    throw StoreToolError("'\(text)' is not a date like 2023-01-31T12:00:00Z.")
                }
                return Date(timeIntervalSinceReferenceDate: seconds)
            case (real, .string(let text)):
                guard let number = Double(text) else { throw StoreToolError("'\(text)' is not a number.") }
                return NSNumber(value: number)
            case (data, _), (date, _), (real, _):
                throw StoreToolError("'\(name)' does not take \(member.kind).")
            case _ where name.hasPrefix("$$"): return [String(name.dropFirst()): try propertyList(member)]
            default: return try members.mapValues(propertyList)
            }
        }
    }
}
