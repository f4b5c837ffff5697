import CocoaFoundation
import ManagedObjectModel

// `CAST(object, "Novel")`: the name is that of an entity.

extension NSManagedObject: KindOfObject {
    /// The name of the class's entity in the model that came into use last.
    package static var kindName: String? { EntitySources.entity(for: self)?.name }

    package func isOfKind(named name: String) throws -> Bool { try entity.isOfKind(named: name) }
}

extension NSManagedObjectID: KindOfObject {
    package static var kindName: String? { nil }

    package func isOfKind(named name: String) throws -> Bool { try entity.isOfKind(named: name) }
}

extension NSAtomicStoreCacheNode: KindOfObject {
    package static var kindName: String? { nil }

    package func isOfKind(named name: String) throws -> Bool { try objectID.entity.isOfKind(named: name) }
}

extension NSEntityDescription {
    /// The entity of a name in the model of this one.
    func kind(named name: String) -> NSEntityDescription? { model?.entitiesByName[name] }

    fileprivate func isOfKind(named name: String) throws -> Bool {
        var ancestor: NSEntityDescription? = self
        while let current = ancestor {
            if current.name == name { return true }
            ancestor = current.superentity
        }
        guard kind(named: name) != nil else {
            throw PredicateEvaluationError(
                .predicate, "CAST does not know the type or the entity \"\(name)\".")
        }
        return false
    }
}
