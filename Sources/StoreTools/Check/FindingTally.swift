/// Findings about objects, put together: one for each thing that is wrong with a property, with the number of objects.
struct FindingTally {
    private struct Key: Hashable {
        let severity: StoreFinding.Severity
        let code: StoreFinding.Code
        let entity: String
        let property: String?
        let message: String
    }

    private static let exampleLimit = 5
    private var found: [Key: (count: Int, objects: [String])] = [:]
    private var order: [Key] = []

    mutating func note(
        _ severity: StoreFinding.Severity, _ code: StoreFinding.Code, _ entity: String, _ property: String?,
        _ object: String, _ message: String
    ) {
        let key = Key(
            severity: severity, code: code, entity: entity, property: property, message: message)
        if found[key] == nil { order.append(key) }
        var (count, objects) = found[key] ?? (0, [])
        count += 1
        if objects.count < Self.exampleLimit, !objects.contains(object) { objects.append(object) }
        found[key] = (count, objects)
    }

    /// In the order in which they were met.
    var findings: [StoreFinding] {
        order.map { key in
            StoreFinding(
                key.severity, key.code, entity: key.entity, property: key.property,
                count: found[key]?.count, objects: found[key]?.objects, key.message)
        }
    }
}
