import CocoaFoundation
import Foundation
import ManagedObjectModel

extension NSPredicate {
    /// The predicate with permanent IDs instead of constants that name objects by their former temporary IDs.
    ///
    /// An object can get its permanent ID in one context of a family while another one, whose condition names it, waits for a
    /// result; and IDs that a program has kept stay valid in a family.
    func namingPermanently(_ identities: PermanentIdentities) -> NSPredicate {
        guard identities.count > 0 else { return self }
        var hasTemporary = false
        _ = visitExpressions { expression in
            guard case .constant(let value) = expression.kind else { return }
            hasTemporary = hasTemporary || identities.replacement(for: value) != nil
        }
        guard hasTemporary else { return self }
        return replacing { expression, _ in
            guard case .constant(let value) = expression.kind else { return nil }
            return identities.replacement(for: value).map { NSExpression(forConstantValue: $0) }
        }
    }
}

extension PermanentIdentities {
    /// The replacement for a constant that is, or contains, a temporary ID of an object; nil for any other.
    fileprivate func replacement(for constant: Any?) -> Any? {
        switch constant {
        case let id as NSManagedObjectID: return permanentID(id.storedEntity, id.reference)
        case let object as NSManagedObject: return permanentID(object.storedEntity, object.reference)
        case let list as any ValueCollection:
            let elements = list.collectionElements.map { ($0 as? AnyHashable)?.base ?? $0 }
            let replaced = elements.map { element -> Any? in
                // Lists of lists name no objects.
                element is any ValueCollection ? nil : replacement(for: element)
            }
            guard replaced.contains(where: { $0 != nil }) else { return nil }
            return zip(elements, replaced).map { $1 ?? $0 }
        default: return nil
        }
    }

    private func permanentID(_ storedEntity: StoredEntity, _ reference: Int64) -> NSManagedObjectID? {
        guard storedEntity.isTemporary, let entry = permanent(reference) else { return nil }
        return NSManagedObjectID(storedEntity: entry.storedEntity, reference: entry.reference)
    }
}
