import CoreData
import StoreTools

/// Values of transformable attributes that are made of plain values only, as JSON: strings, numbers, Booleans, arrays and
/// dictionaries; a date is `{"$date": "2024-01-31T12:00:00Z"}`, data is `{"$data": "…"}` in Base64.
enum PlainValueText {
    /// The most bytes of text.
    static let longest = 256 << 10
    private static let deepest = 64
    private static let dateKey = "$date"
    private static let dataKey = "$data"

    /// The text of a value; nil for one that has other parts, or would be longer than a string may be.
    static func text(_ value: Any) -> String? {
        guard let plain = plain(value, depth: 0),
            let data = try? JSONSerialization.data(
                withJSONObject: plain,
                options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed]),
            data.count <= longest
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    private static func plain(_ value: Any, depth: Int) -> Any? {
        guard depth <= deepest else { return nil }
        switch value {
        case let text as String: return text
        // Its class would be lost.
        case is NSDecimalNumber: return nil
        case let number as NSNumber: return number.doubleValue.isFinite ? number : nil
        case let date as Date:
            return MomentText.text(date.timeIntervalSinceReferenceDate).map { [dateKey: $0] }
        case let data as Data: return [dataKey: data.base64EncodedString()]
        case let array as [Any]: return elements(array, depth)
        case let array as NSArray: return elements(array.map { $0 }, depth)
        case let dictionary as [String: Any]: return members(dictionary, depth)
        case let dictionary as NSDictionary:
            let pairs = dictionary.compactMap { key, value in (key as? String).map { ($0, value) } }
            guard pairs.count == dictionary.count else { return nil }
            return members(Dictionary(pairs) { first, _ in first }, depth)
        default: return nil
        }
    }

    private static func elements(_ array: [Any], _ depth: Int) -> [Any]? {
        let plain = array.compactMap { self.plain($0, depth: depth + 1) }
        return plain.count == array.count ? plain : nil
    }

    private static func members(_ dictionary: [String: Any], _ depth: Int) -> [String: Any]? {
        // It would look like a date or data.
        guard dictionary.count != 1 || (dictionary[dateKey] == nil && dictionary[dataKey] == nil) else {
            return nil
        }
        let plain = dictionary.compactMapValues { self.plain($0, depth: depth + 1) }
        return plain.count == dictionary.count ? plain : nil
    }

    /// The value that a string stands for.
    ///
    /// - Throws: `BrowsingError` with what would be understood.
    static func value(_ text: String, of attribute: NSAttributeDescription) throws -> Any {
        func wrong(_ detail: String) -> BrowsingError {
            BrowsingError(detail, code: "value", field: attribute.name)
        }
        guard text.utf8.count <= longest else { throw wrong("The text is longer than \(longest >> 10) KB.") }
        let json: Any
        do {
            json = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        } catch {
            let reason =
                (error as NSError).userInfo["NSDebugDescription"] as? String ?? error.localizedDescription
            throw wrong("This is not JSON: \(reason)")
        }
        guard let value = stored(json, depth: 0) else {
            throw wrong(
                """
                The value may have strings, numbers, true and false, arrays, dictionaries, {"\(dateKey)": \
                "2024-01-31T12:00:00Z"} and {"\(dataKey)": "Base64"}; no null, and no more than \(deepest) levels.
                """)
        }
        return value
    }

    private static func stored(_ json: Any, depth: Int) -> Any? {
        guard depth <= deepest else { return nil }
        switch json {
        case let text as String: return NSString(string: text)
        case let number as NSNumber: return number
        case let array as [Any]:
            let elements = array.compactMap { stored($0, depth: depth + 1) }
            return elements.count == array.count ? NSArray(array: elements) : nil
        case let dictionary as [String: Any]:
            if dictionary.count == 1, let text = dictionary[dateKey] {
                return (text as? String).flatMap(MomentText.seconds).map {
                    NSDate(timeIntervalSinceReferenceDate: $0)
                }
            }
            if dictionary.count == 1, let text = dictionary[dataKey] {
                return (text as? String).flatMap { Data(base64Encoded: $0) }.map { NSData(data: $0) }
            }
            let members = dictionary.compactMapValues { stored($0, depth: depth + 1) }
            return members.count == dictionary.count ? NSDictionary(dictionary: members) : nil
        default: return nil
        }
    }
}
