import CocoaFoundation

/// Where a key path leads in a model.
package enum KeyPathDestination {
    /// To an attribute, over the to-many relationship given, if any.
    case attribute(NSAttributeDescription, toMany: NSRelationshipDescription?)
    /// To a relationship.
    case relationship(NSRelationshipDescription)
    /// Nowhere: the entity or attribute of the second name has no property of the first.
    case missing(name: String, in: String)
}

extension NSEntityDescription {
    /// Follows a key path of attributes, relationships and elements of composite attributes through the
    /// model.
    package func walk(_ keyPath: String) -> KeyPathDestination {
        var holder = self
        var toMany: NSRelationshipDescription?
        var lastRelationship: NSRelationshipDescription?
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (index, name) in names.enumerated() {
            switch holder.propertiesByName[name] {
            case let relationship as NSRelationshipDescription:
                guard let destination = relationship.destinationEntity else {
                    return .missing(name: name, in: holder.name ?? "?")
                }
                if relationship.isToMany { toMany = relationship }
                lastRelationship = relationship
                holder = destination
            case let attribute as NSAttributeDescription:
                var element = attribute
                for name in names[(index + 1)...] {
                    guard let composite = element as? NSCompositeAttributeDescription,
                        let next = composite.elements.first(where: { $0.name == name })
                    else { return .missing(name: name, in: element.name) }
                    element = next
                }
                return .attribute(element, toMany: toMany)
            default:
                return .missing(name: name, in: holder.name ?? "?")
            }
        }
        guard let lastRelationship else { return .missing(name: keyPath, in: name ?? "?") }
        return .relationship(lastRelationship)
    }

    /// The entity's property of a name, or the element of a composite attribute at a path of names.
    package func property(atPath path: String) -> NSPropertyDescription? {
        if let property = propertiesByName[path] { return property }
        guard path.contains("."), case .attribute(let attribute, toMany: nil) = walk(path),
            propertiesByName[String(path.prefix { $0 != "." })] is NSCompositeAttributeDescription
        else { return nil }
        return attribute
    }
}
