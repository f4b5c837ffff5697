import Foundation

/// The properties of Foundation's values that key paths read.
///
/// On Apple's platforms strings, dates and URLs answer `value(forKey:)` with any of their properties;
/// validation predicates such as `length >= 3`, which Xcode's model editor writes, rely on it.
enum FoundationKeys {
    /// The value of a property of a value, `NSNull` for none; `nil` when there is no such property.
    static func value(of object: Any, forKey key: String) -> Any? {
        switch PredicateValue(object) {
        case .text(let text): value(of: text, forKey: key)
        case .date(let date): value(of: date, forKey: key)
        case .url(let url): value(of: url, forKey: key)
        case .data(let data): key == "length" ? data.count : nil
        case .uuid(let uuid): key == "UUIDString" ? uuid.uuidString : nil
        case .integer, .unsigned, .double, .decimal:
            Number(object).flatMap { value(of: $0, forKey: key) }
        default: nil
        }
    }

    private static func value(of text: String, forKey key: String) -> Any? {
        switch key {
        case "length": text.utf16.count
        case "uppercaseString": TextFunctions.uppercase(text)
        case "lowercaseString": TextFunctions.lowercase(text)
        case "capitalizedString": text.capitalized
        case "description": text
        case "doubleValue": (text as NSString).doubleValue
        case "floatValue": (text as NSString).floatValue
        case "intValue": Int((text as NSString).intValue)
        case "integerValue", "longLongValue": (text as NSString).integerValue
        case "boolValue": (text as NSString).boolValue
        default: nil
        }
    }

    private static func value(of number: Number, forKey key: String) -> Any? {
        switch key {
        case "doubleValue": number.double
        case "floatValue": Float(number.double)
        case "intValue", "integerValue", "longLongValue": Int(truncatingIfNeeded: number.truncated)
        case "boolValue": number.double != 0
        case "stringValue", "description": number.description
        default: nil
        }
    }

    private static func value(of date: Date, forKey key: String) -> Any? {
        switch key {
        case "timeIntervalSinceReferenceDate": date.timeIntervalSinceReferenceDate
        case "timeIntervalSince1970": date.timeIntervalSince1970
        case "timeIntervalSinceNow": date.timeIntervalSinceNow
        default: nil
        }
    }

    // As NSURL has them: without percent escapes in the path, and without a slash at its end.
    private static func value(of url: URL, forKey key: String) -> Any? {
        let absent: Any = NSNull()
        let properties = url as NSURL
        return switch key {
        case "absoluteString": url.absoluteString
        case "scheme": url.scheme ?? absent
        case "host": properties.host ?? absent
        case "port": url.port ?? absent
        case "path": properties.path ?? absent
        case "query": properties.query ?? absent
        case "fragment": properties.fragment ?? absent
        case "lastPathComponent": url.lastPathComponent
        case "pathExtension": url.pathExtension
        default: nil
        }
    }
}
