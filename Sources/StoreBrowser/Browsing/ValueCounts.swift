import CoreData
import StoreTools

/// How many objects have each value of a property: the data of a chart.
struct ValueCounts: Encodable, Sendable {
    struct Group: Encodable, Sendable {
        /// The value; nil for none.
        let value: String?
        let count: Int
    }

    private static let maxGroups = 120

    let groups: [Group]
    /// Whether there are more values than these.
    let hasMore: Bool
    let statements: [ShownStatement]

    /// - Parameter unit: what dates are grouped by; days and longer.
    /// - Throws: `PredicateFormatError`, `BrowsingError`, an error of the store.
    init(
        of query: ObjectQuery, by key: String, unit: FetchInspection.DateUnit?, of store: BrowsedStore
    ) async throws {
        let entity = try store.entity(named: query.entity)
        guard let attribute = entity.attributesByName[key], attribute.isComparable, !attribute.isTransient
        else {
            throw BrowsingError("Objects cannot be counted by '\(key)'.", field: "by")
        }
        let isDate = attribute.attributeType == .dateAttributeType
        let found = try await store.reading(for: query.client, yields: true) { context, cancellation in
            let request = try query.request(NSManagedObject.self, of: store, in: context)
            return try FetchInspection(request, in: context).groups(
                by: key, unit: isDate ? unit ?? .month : nil, limit: Self.maxGroups, cancellation)
        }
        let isBoolean = attribute.attributeType == .booleanAttributeType
        groups = found.groups.map { group in
            let value = group.value.map { isBoolean ? ["0": "false", "1": "true"][$0] ?? $0 : $0 }
            return Group(value: value.map { String($0.prefix(200)) }, count: group.count)
        }
        hasMore = found.hasMore
        statements = found.executions.map { ShownStatement($0, of: "Groups") }
    }
}
