import CocoaFoundation

extension NSEntityDescription {
    /// Whether the entity is the other one or inherits from it, directly or not.
    public func isKindOf(entity: NSEntityDescription) -> Bool {
        if self === entity { return true }
        if let tables {
            var ancestor = parent
            for _ in 1..<max(tables.depth, 1) {
                if ancestor === entity { return true }
                ancestor = ancestor?.parent
            }
        }
        // The entity of a copy of the model counts as well.
        return lineage.contains { $0 == entity }
    }

    /// The entities from the root of the tree down to this one.
    ///
    /// It ends also when the superentities form a circle, which is a mistake that the check of the model
    /// reports.
    package var lineage: [NSEntityDescription] {
        if parent == nil { return [self] }
        var entities = [self]
        var seen: Set = [ObjectIdentifier(self)]
        while let next = entities[entities.count - 1].parent, seen.insert(ObjectIdentifier(next)).inserted {
            entities.append(next)
        }
        return entities.reversed()
    }

    /// The entity at the top of the tree, whose table holds the rows of the whole tree.
    package var rootEntity: NSEntityDescription { lineage[0] }

    /// The entity and everything that inherits from it, each entity before its subentities.
    package var selfAndDescendants: [NSEntityDescription] {
        var entities: [NSEntityDescription] = []
        var seen: Set<ObjectIdentifier> = []
        var rest = [self]
        while let next = rest.popLast() {
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            entities.append(next)
            rest.append(contentsOf: next.subentities.reversed())
        }
        return entities
    }

    /// Makes the entity the superentity of the new subentities, and no longer that of the old ones.
    func adopt(_ new: [NSEntityDescription], insteadOf old: [NSEntityDescription]) {
        let kept = Set(new.map(ObjectIdentifier.init))
        for entity in old where entity.parent === self && !kept.contains(ObjectIdentifier(entity)) {
            entity.willChange("superentity")
            entity.parent = nil
        }
        for entity in new where entity.parent !== self {
            entity.willChange("superentity")
            entity.parent?.subentities.removeAll { $0 === entity }
            entity.parent = self
        }
    }
}
