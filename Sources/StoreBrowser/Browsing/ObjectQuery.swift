import CoreData
import StoreTools

/// Which objects of an entity are requested.
struct ObjectQuery: Sendable {
    static let longestPredicate = 8000

    let entity: String
    /// A predicate in Apple's language; empty for all objects.
    var predicate = ""
    /// An object and the name of a relationship of it, whose objects are requested.
    var related: (object: ObjectReference, relationship: String)?
    /// The client, for queries that end an older one of the same client.
    var client: String?

    /// The request in a context, to be called on its queue.
    ///
    /// - Throws: `PredicateFormatError`, `BrowsingError`.
    func request<Result>(
        _ type: Result.Type, of store: BrowsedStore, in context: NSManagedObjectContext
    ) throws -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: try store.entity(named: entity).name ?? "")
        guard predicate.utf8.count <= Self.longestPredicate else {
            throw BrowsingError(
                "The predicate is longer than \(Self.longestPredicate) bytes.", field: "predicate")
        }
        var conditions: [NSPredicate] = []
        if !predicate.allSatisfy(\.isWhitespace) { conditions.append(try NSPredicate(parsing: predicate)) }
        if let related { conditions.append(try Self.condition(related, store, context)) }
        switch conditions.count {
        case 0: break
        case 1: request.predicate = conditions[0]
        default: request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
        }
        return request
    }

    /// A relationship without an inverse is followed from its owner, as far as this.
    private static let maxDestinations = 10_000

    private static func condition(
        _ related: (object: ObjectReference, relationship: String), _ store: BrowsedStore,
        _ context: NSManagedObjectContext
    ) throws -> NSPredicate {
        let owner = try store.object(related.object, in: context)
        guard let relationship = owner.entity.relationshipsByName[related.relationship] else {
            throw BrowsingError("\(related.object) has no relationship '\(related.relationship)'.")
        }
        if let inverse = relationship.inverseRelationship, !inverse.isTransient {
            return NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: inverse.name),
                rightExpression: NSExpression(forConstantValue: owner.objectID),
                modifier: inverse.isToMany ? .any : .direct, type: .equalTo)
        }
        let found = try destinations(of: relationship, of: owner, store)
        guard found.count <= maxDestinations else {
            throw BrowsingError(
                "'\(relationship.name)' has no inverse and leads to more than \(maxDestinations) objects.")
        }
        return NSComparisonPredicate(
            leftExpression: .expressionForEvaluatedObject(),
            rightExpression: NSExpression(forConstantValue: found), modifier: .direct, type: .in)
    }

    /// The destinations of a relationship, not more than one too many.
    private static func destinations(
        of relationship: NSRelationshipDescription, of owner: NSManagedObject, _ store: BrowsedStore
    ) throws -> [NSManagedObjectID] {
        guard relationship.isToMany else { return owner.objectIDs(forRelationshipNamed: relationship.name) }
        let key = owner.reference.key
        return try store.source.store.withContents { contents in
            let snapshot = contents.snapshot
            let found = try snapshot.destinations(
                of: relationship, owners: [key], limit: maxDestinations + 1)
            return (found[key] ?? []).compactMap { number, reference in
                snapshot.schema.entity(number).map {
                    NSManagedObjectID(storedEntity: $0.storedEntity, reference: reference)
                }
            }
        }
    }
}

extension BrowsedStore {
    /// An object of a context, loaded. Keys below one are those of objects that were not saved yet.
    ///
    /// - Throws: `BrowsingError` when there is no such object, an error of the store.
    func object(_ reference: ObjectReference, in context: NSManagedObjectContext) throws -> NSManagedObject {
        _ = try entity(named: reference.entity)
        let missing = BrowsingError("There is no object \(reference).", code: "missing")
        if reference.key < 1, let new = context.insertedObjects.first(where: { $0.reference == reference }) {
            return new
        }
        let known = source.store.schema.entities.first { $0.name == reference.entity }
        guard let known else { throw missing }
        do {
            return try context.existingObject(
                with: NSManagedObjectID(storedEntity: known.storedEntity, reference: reference.key))
        } catch let error as NSError
            where error.code == CocoaError.Code.managedObjectReferentialIntegrity.rawValue
        {
            throw missing
        }
    }
}

extension NSManagedObject {
    /// Which object it is.
    var reference: ObjectReference { objectID.toolReference }
}

extension NSManagedObjectID {
    var toolReference: ObjectReference { ObjectReference(entity: entity.name ?? "", key: reference) }
}
