import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The values that a managed object had at one moment, to be passed to other actors and threads.
///
/// ```swift
/// let book = try await context.perform {
///     try context.existingObject(with: id).snapshot()
/// }
/// label.text = book[\Book.title]
/// let author: NSManagedObjectID? = book[\Book.author]
/// ```
///
/// A snapshot has what it was made of and nothing else: by default, every attribute that is stored, but those of
/// transformable type, and the destination of every to-one relationship, as an ID. To-many relationships, transient and
/// transformable attributes are in it when they are requested by name: see `NSManagedObject.snapshot(of:)` and
/// `NSManagedObjectContext.fetchSnapshots(_:of:)`. Reading another property stops with a message.
///
/// Two snapshots are equal that are of the same object, with the same values of the same properties. It is encoded with the URI of its
/// ID; to be decoded, it needs a coordinator under `CodingUserInfoKey.persistentStoreCoordinator`.
public struct ManagedObjectSnapshot: Sendable, Hashable {
    /// The ID of the object; a temporary one, if it was not saved then.
    public let objectID: NSManagedObjectID
    /// The name of the object's entity.
    public let entityName: String
    let values: [String: Value]

    init(objectID: NSManagedObjectID, values: [String: Value]) {
        self.objectID = objectID
        entityName = objectID.entity.name ?? ""
        self.values = values
    }

    /// The names of the properties that the snapshot has.
    public var keys: Set<String> { Set(values.keys) }

    /// The value of a property, whatever its type; `.null` for none.
    ///
    /// - Precondition: the snapshot has the property.
    public func value(forKey key: String) -> Value {
        guard let value = values[key] else {
            fatalError(
                """
                The snapshot of \(objectID.uriRepresentation().absoluteString) has no '\(key)': it was made of \
                \(values.keys.sorted().joined(separator: ", ")).
                """)
        }
        return value
    }

    /// The value of an attribute; nil for none, and for one of another type.
    ///
    /// Numbers are read as every type that holds them, and values as enumerations of which they are raw values.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript<T>(key: String, as type: T.Type = T.self) -> T? { value(forKey: key).cast(to: T.self) }

    /// The ID of the destination of a to-one relationship.
    ///
    /// - Precondition: the snapshot has the property.
    public func objectID(forKey key: String) -> NSManagedObjectID? {
        if case .object(let id) = value(forKey: key) { return id }
        return nil
    }

    /// The IDs of the destinations of a to-many relationship: in its order, if it has one.
    ///
    /// - Precondition: the snapshot has the property.
    public func objectIDs(forKey key: String) -> [NSManagedObjectID] {
        switch value(forKey: key) {
        case .objects(let ids): Array(ids)
        case .orderedObjects(let ids): ids
        default: []
        }
    }
}

// MARK: Key paths

extension ManagedObjectSnapshot {
    /// The value of an attribute.
    ///
    /// - Precondition: the snapshot has the property, and the key path has a name in `KeyPathNames`.
    public subscript<Root: NSManagedObject, T>(_ keyPath: KeyPath<Root, T>) -> T? {
        value(at: keyPath).cast(to: T.self)
    }

    /// The value of an attribute; nil for none.
    ///
    /// - Precondition: the snapshot has the property, and the key path has a name in `KeyPathNames`.
    public subscript<Root: NSManagedObject, T>(_ keyPath: KeyPath<Root, T?>) -> T? {
        value(at: keyPath).cast(to: T.self)
    }

    /// The ID of the destination of a to-one relationship.
    ///
    /// - Precondition: the snapshot has the property, and the key path has a name in `KeyPathNames`.
    public subscript<Root: NSManagedObject, Destination: NSManagedObject>(
        _ keyPath: KeyPath<Root, Destination?>
    ) -> NSManagedObjectID? {
        objectID(forKey: Self.key(keyPath))
    }

    /// The IDs of the destinations of a to-many relationship.
    ///
    /// - Precondition: the snapshot has the property, and the key path has a name in `KeyPathNames`.
    public subscript<Root: NSManagedObject, Destination: NSManagedObject>(
        _ keyPath: KeyPath<Root, Set<Destination>>
    ) -> Set<NSManagedObjectID> {
        Set(objectIDs(forKey: Self.key(keyPath)))
    }

    private func value(at keyPath: AnyKeyPath) -> Value { value(forKey: Self.key(keyPath)) }

    static func key(_ keyPath: AnyKeyPath) -> String {
        guard let key = KeyPathNames.name(of: keyPath) else {
            fatalError("No key is registered for \(keyPath); let its class list it in managedProperties.")
        }
        return key
    }
}
