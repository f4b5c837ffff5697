/// What of a dump did not come into a store, put together by property and reason.
struct SkippedRows {
    private struct Key: Hashable {
        let property: String
        let reason: String
    }

    private static let exampleLimit = 3
    private var found: [Key: (count: Int, objects: [String])] = [:]
    private var order: [Key] = []

    /// - Parameters:
    ///   - property: the relationship, as `Book.author`.
    ///   - link: gives the object that has it and where it would lead; called for the first ones only.
    mutating func note(
        _ property: String, _ reason: String, _ link: () throws -> (ObjectReference, ObjectReference)
    ) rethrows {
        let key = Key(property: property, reason: reason)
        if found[key] == nil { order.append(key) }
        var (count, objects) = found[key] ?? (0, [])
        count += 1
        if objects.count < Self.exampleLimit {
            let (object, destination) = try link()
            objects.append("\(object) to \(destination)")
        }
        found[key] = (count, objects)
    }

    /// A sentence for each property and reason.
    var notices: [String] {
        order.map { key in
            let (count, objects) = found[key] ?? (0, [])
            let more = count > objects.count ? ", …" : ""
            return
                "\(key.property): \(key.reason) (\(count): \(objects.joined(separator: ", "))\(more)); left out."
        }
    }
}
