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

    /// The property whose primitive value `primitiveAge` is; nil for a property that is called so itself, which is in the model,
    /// or where there is no `age`.
    ///
    /// - Parameters:
    ///   - known: the keys of the class's properties, those of the model included.
    ///   - modelKeys: those from the model.
    static func keyOfPrimitive(_ key: String, among known: KnownKeys, modelKeys: Set<String>) -> String? {
        guard !modelKeys.contains(key), let suffix = suffix(of: key, after: "primitive") else { return nil }
        let property = Self.key(from: suffix, among: known)
        return known.contains(property) ? property : nil
    }

    /// What follows a prefix where a key does: it begins with no small letter.
    static func suffix(of name: String, after prefix: String) -> Substring? {
        guard name.hasPrefix(prefix) else { return nil }
        let suffix = name.dropFirst(prefix.count)
        guard let first = suffix.first, !first.isLowercase, first != ":" else { return nil }
        return suffix
    }
}
