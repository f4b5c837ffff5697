/// The names of key-value coding, in which a method's name holds the key of a property with a capital letter.
enum KeyName {
    /// The key in a method's name: `PublishDate` gives `publishDate`.
    ///
    /// - Parameter known: names of properties; one with a capital letter of its own, such as `URL`, is only known
    ///   through them.
    static func key(from suffix: Substring, among known: KnownKeys) -> String {
        let name = String(suffix)
        guard !known.contains(name), let first = name.first else { return name }
        return first.lowercased() + name.dropFirst()
    }

    /// What follows a prefix where a key does: it begins with no small letter.
    static func suffix(of name: String, after prefix: String) -> Substring? {
        guard name.hasPrefix(prefix) else { return nil }
        let suffix = name.dropFirst(prefix.count)
        guard let first = suffix.first, !first.isLowercase, first != ":" else { return nil }
        return suffix
    }
}
