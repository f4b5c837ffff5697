import CoreData

/// An attribute, or an element of a composite one: `position.latitude`.
struct CompositePath {
    /// The attribute of the object.
    let attribute: NSAttributeDescription
    /// The element that the path leads to; the attribute itself for a path of one name.
    let element: NSAttributeDescription
    private let names: [String]

    /// - Throws: `BrowsingError` when it leads nowhere.
    init(_ path: String, of object: NSManagedObject) throws {
        let attributes = object.entity.attributesByName
        let missing = BrowsingError("\(object.reference) has no attribute '\(path.prefix(200))'.")
        if let attribute = attributes[path] {
            (self.attribute, element, names) = (attribute, attribute, [])
            return
        }
        let steps = path.split(separator: ".").map(String.init)
        guard let first = steps.first, let attribute = attributes[first] else { throw missing }
        var element = attribute
        for step in steps.dropFirst() {
            let elements = (element as? NSCompositeAttributeDescription)?.elements ?? []
            guard let next = elements.first(where: { $0.name == step }) else { throw missing }
            element = next
        }
        (self.attribute, self.element, names) = (attribute, element, Array(steps.dropFirst()))
    }

    /// The value of the attribute with another value of the element; nil when no element has one.
    func value(of object: NSManagedObject, replacing new: Any?) -> Any? {
        guard !names.isEmpty else { return new }
        let old = object.primitiveValue(forKey: attribute.name) as? [String: Any] ?? [:]
        let changed = Self.replace(names[...], in: old, by: new)
        return changed.isEmpty ? nil : changed
    }

    private static func replace(
        _ names: ArraySlice<String>, in old: [String: Any], by new: Any?
    ) -> [String: Any] {
        guard let name = names.first else { return old }
        var changed = old
        if names.count == 1 {
            changed[name] = new
        } else {
            let inner = replace(names.dropFirst(), in: old[name] as? [String: Any] ?? [:], by: new)
            changed[name] = inner.isEmpty ? nil : inner
        }
        return changed
    }
}
