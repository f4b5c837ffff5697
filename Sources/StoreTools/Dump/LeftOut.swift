/// What of a dump did not come into a store, put together by property and reason.
struct LeftOut {
    private struct Key: Hashable {
        let property: String
        let reason: String
    }

    private static let exampleLimit = 3
    private var found: [Key: (count: Int, objects: [String])] = [:]
    private var order: [Key] = []

    /// - Parameters:
    ///   - property: the relationship, as `Book.author`.
    ///   - object: the object that has it.
    ///   - destination: where it would lead.
    mutating func note(
        _ property: String, of object: ObjectReference, to destination: ObjectReference, _ reason: String
    ) {
        let key = Key(property: property, reason: reason)
        if found[key] == nil { order.append(key) }
        var (count, objects) = found[key] ?? (0, [])
        count += 1
        if objects.count < Self.exampleLimit { objects.append("\(object) to \(destination)") }
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
