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
public struct ManagedObjectSnapshot: @unchecked Sendable, Hashable {
    // What the store has is in a row, whose values are read when they are requested; a row never changes. Two references, which are
    // read in place: a copy of an enumeration would count them.

    /// Nil when the values are in `part`.
    private let row: Row?
    /// Of a snapshot with a row a `SnapshotSchema`, else `SnapshotValues`.
    private let part: SnapshotPart

    init(objectID: NSManagedObjectID, values: [String: Value]) {
        row = nil
        part = SnapshotValues(objectID: objectID, values: values)
    }

    @inline(__always)
    init(_ row: Row, _ schema: SnapshotSchema) {
        assert(
            row.entityNumber == schema.storedEntity.entityNumber,
            "A row is read by the layout of its own entity.")
        self.row = row
        part = schema
    }

    private var schema: SnapshotSchema { unsafeDowncast(part, to: SnapshotSchema.self) }
    private var kept: SnapshotValues { unsafeDowncast(part, to: SnapshotValues.self) }

    /// The ID of the object; a temporary one, if it was not saved then.
    public var objectID: NSManagedObjectID {
        guard let row else { return kept.objectID }
        return NSManagedObjectID(storedEntity: schema.storedEntity, reference: row.reference)
    }

    /// The name of the object's entity.
    public var entityName: String { row == nil ? kept.objectID.entity.name ?? "" : schema.entityName }

    /// The values by the names of their properties.
    var values: [String: Value] {
        guard let row else { return kept.values }
        return schema.values(row)
    }

    /// The names of the properties that the snapshot has.
    public var keys: Set<String> { row == nil ? Set(kept.values.keys) : Set(schema.names) }

    /// Whether both are of the same object, with the same values of the same properties.
    public static func == (a: Self, b: Self) -> Bool {
        a.objectID == b.objectID && a.entityName == b.entityName && a.values == b.values
    }

    /// Hashes the object's ID and the values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(objectID)
        hasher.combine(values)
    }

    /// The value of a property, whatever its type; `.null` for none.
    ///
    /// - Precondition: the snapshot has the property.
    public func value(forKey key: String) -> Value {
        guard let row else {
            guard let value = kept.values[key] else { stop(without: key) }
            return value
        }
        guard let slot = schema.slot(key) else { stop(without: key) }
        return schema.value(slot, row)
    }

    private func stop(without key: String) -> Never {
        fatalError(
            """
            The snapshot of \(objectID.uriRepresentation().absoluteString) has no '\(key)': it was made of \
            \(keys.sorted().joined(separator: ", ")).
            """)
    }

    /// Calls `body` with the row of a property's value, its slot there and its kind; nil when the values are not in a row, or there
    /// is none.
    @inline(__always)
    func read<Value, Result>(
        _ key: ManagedKey<Value>, _ body: (RowPointer, Int, SlotKind) -> Result?
    ) -> Result? {
        guard let row else { return nil }
        // The snapshot keeps both.
        return row.reading { row in
            Unmanaged.passUnretained(schema)._withUnsafeGuaranteedRef { schema in
                guard let (slot, kind) = schema.position(key) else { stop(without: key.name) }
                return row.isNull(slot) ? nil : body(row, slot, kind)
            }
        }
    }

    /// Whether the values are in a row.
    var isOfRow: Bool { row != nil }

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
