/// The names of key-value coding, in which a method's name holds the key of a property with a capital letter.
enum PropertyKey {
    /// The key in a method's name: `PublishDate` gives `publishDate`.
    ///
    /// - Parameters:
    ///   - suffix: what follows the prefix in the method's name.
    ///   - known: property names of the class. One that has a capital letter itself, such as `URL`, cannot be distinguished
    ///     from `uRL` otherwise.
    static func key(from suffix: Substring, among known: Set<String> = []) -> String {
        let suffix = String(suffix)
        return known.contains(suffix) ? suffix : changingFirst(of: suffix) { $0.lowercased() }
    }

    /// What follows a prefix in the name of a method for a key; nil when the name is of another form.
    ///
    /// A key follows only when its first letter cannot be a small one: `validated` holds no key.
    static func suffix(of name: String, after prefix: String) -> Substring? {
        guard name.hasPrefix(prefix) else { return nil }
        let suffix = name.dropFirst(prefix.count)
        guard let first = suffix.first, !first.isLowercase else { return nil }
        return suffix
    }

    private static func changingFirst(of name: String, _ change: (Character) -> String) -> String {
        guard let first = name.first else { return name }
        return change(first) + name.dropFirst()
    }
}
