import ManagedObjectModel

/// Values of a model (defaults, user info) as text, different for different values.
enum ValueText {
    /// Dates in the form of ISO 8601, with as many digits after the point as there are; data in base 64.
    static func text(_ value: Any) -> String {
        switch value {
        case let date as Date: text(date)
        case let data as Data: data.base64EncodedString()
        default: "\(value)"
        }
    }

    private static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        return MomentText.text(seconds) ?? "\(seconds) s after 2001-01-01T00:00:00Z"
    }

    /// The entries as `key=value`, sorted. Strings in which a comma or a sign could be taken for another entry's are quoted.
    static func text(of info: [AnyHashable: Any]?) -> String? {
        guard let info, !info.isEmpty else { return nil }
        return info.map { "\(quoted(text($0.key.base)))=\(quoted(text($0.value)))" }.sorted()
            .joined(separator: ", ")
    }

    private static func quoted(_ text: String) -> String {
        text.isEmpty || text.contains { ",=\"\\".contains($0) || $0.isNewline }
            ? SwiftName.literal(text) : text
    }
}
