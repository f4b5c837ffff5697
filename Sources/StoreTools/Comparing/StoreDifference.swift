/// What is different between two stores, piece by piece.
package enum StoreDifference {
    /// An entity that only one of the stores has.
    case entity(String, isAdded: Bool)
    /// A property that an entity has in one of the stores only.
    case property(entity: String, String, isAdded: Bool)
    case added(ObjectReference, [String: JSONValue])
    case removed(ObjectReference, [String: JSONValue])
    /// An object whose values differ: which one it is in the second store, and the values.
    case changed(ObjectReference, new: ObjectReference, [(property: String, old: JSONValue, new: JSONValue)])

    /// The difference as JSON: an object with `change` (`"added"`, `"removed"`, `"changed"`) and `entity`, `property` or
    /// `objectID`.
    package var json: JSONValue {
        switch self {
        case .entity(let name, let isAdded):
            return .object(["change": Self.change(isAdded), "entity": .string(name)])
        case .property(let entity, let name, let isAdded):
            return .object([
                "change": Self.change(isAdded), "entity": .string(entity), "property": .string(name),
            ])
        case .added(let object, let values):
            return .object([
                "change": .string("added"), "objectID": .string("\(object)"), "values": .object(values),
            ])
        case .removed(let object, let values):
            return .object([
                "change": .string("removed"), "objectID": .string("\(object)"), "values": .object(values),
            ])
        case .changed(let object, let new, let values):
            return .object([
                "change": .string("changed"), "objectID": .string("\(object)"),
                "newObjectID": .string("\(new)"),
                "values": .object(
                    Dictionary(
                        values.map { ($0.property, .object(["old": $0.old, "new": $0.new])) },
                        uniquingKeysWith: { first, _ in first })),
            ])
        }
    }

    private static func change(_ isAdded: Bool) -> JSONValue { .string(isAdded ? "added" : "removed") }
}
