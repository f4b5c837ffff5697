/// The text of constants.
enum Literal {
    /// The text of a value, which the parser reads back; a value that has no literal is in angle brackets.
    static func text(of value: Any?) -> String {
        switch PredicateValue(value) {
        case .absent: "nil"
        case .integer(let number): number.description
        case .unsigned(let number): number.description
        case .double(let number):
            number.isFinite ? number.description : "CAST(\"\(number)\", \"NSNumber\")"
        case .decimal(let number):
            number.isNaN ? text(of: Double.nan) : "CAST(\"\(number)\", \"NSDecimalNumber\")"
        case .text(let text): quoted(text)
        case .date(let date): cast(text(of: date.timeIntervalSinceReferenceDate), "NSDate")
        case .data(let data): cast(quoted(data.base64EncodedString()), "NSData")
        case .uuid(let uuid): cast(quoted(uuid.uuidString), "NSUUID")
        case .url(let url): cast(quoted(url.absoluteString), "NSURL")
        case .identity(let identity): "<\(identity)>"
        case .collection(let collection): text(of: collection)
        case .other(let value): "<\(value)>"
        }
    }

    private static func cast(_ value: String, _ type: String) -> String { "CAST(\(value), \"\(type)\")" }

    /// The elements in braces; those of a set in the order of their strings, so that a set has one string.
    private static func text(of collection: any ValueCollection) -> String {
        var elements = collection.collectionElements.map { text(of: $0) }
        if !collection.collectionKind.isOrdered { elements.sort() }
        return "{\(elements.joined(separator: ", "))}"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = ""
        EscapedText.append(text, to: &quoted)
        return quoted
    }
}
