import CocoaFoundation

/// The names of the classes of a keyed archive's objects, each looked up once: many objects share a description
/// of their class, which may be as large as the file.
struct ArchivedClassNames {
    private var names: [UInt64: String] = [:]

    /// The name of the class of an object.
    ///
    /// - Throws: `MalformedPropertyList` if the object has none.
    mutating func name(of fields: [String: Int], in archive: KeyedArchive) throws -> String {
        guard let field = fields["$class"], case .identifier(let location) = archive.list.nodes[field] else {
            return try archive.classNames(of: fields)[0]
        }
        if let name = names[location] { return name }
        let name = try archive.classNames(of: fields)[0]
        names[location] = name
        return name
    }
}
