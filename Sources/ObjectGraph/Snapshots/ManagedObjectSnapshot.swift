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
    // What the store has is in a row of a block, whose values are read when they are requested.

    /// In a block that `part` is; nil when the values are in `part`.
    private let row: UnsafePointer<UInt64>?
    /// Of a snapshot with a row `SnapshotRows`, else `SnapshotValues`.
    private let part: SnapshotPart

    init(objectID: NSManagedObjectID, values: [String: Value]) {
        row = nil
        part = SnapshotValues(objectID: objectID, values: values)
    }

    /// - Parameter row: one of the block.
    @inline(__always)
    init(_ rows: SnapshotRows, _ row: UnsafePointer<UInt64>) {
        self.row = row
        part = rows
    }

    private var rows: SnapshotRows { unsafeDowncast(part, to: SnapshotRows.self) }
    private var kept: SnapshotValues { unsafeDowncast(part, to: SnapshotValues.self) }

    /// The key of the row; 0 without one.
    var key: Int64 { row.map { SnapshotRow($0).reference } ?? 0 }

    /// The ID of the object; a temporary one, if it was not saved then.
    public var objectID: NSManagedObjectID {
        guard let row else { return kept.objectID }
        return NSManagedObjectID(
            storedEntity: rows.schema.storedEntity, reference: SnapshotRow(row).reference)
    }

    /// The name of the object's entity.
    public var entityName: String { row == nil ? kept.objectID.entity.name ?? "" : rows.schema.entityName }

    /// The values by the names of their properties.
    var values: [String: Value] {
        guard let row else { return kept.values }
        return rows.schema.values(SnapshotRow(row), rows)
    }

    /// The names of the properties that the snapshot has.
    public var keys: Set<String> { row == nil ? Set(kept.values.keys) : Set(rows.schema.names) }

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
        guard let slot = rows.schema.slot(key) else { stop(without: key) }
        return rows.schema.value(slot, SnapshotRow(row), rows)
    }

    private func stop(without key: String) -> Never {
        fatalError(
            """
            The snapshot of \(objectID.uriRepresentation().absoluteString) has no '\(key)': it was made of \
            \(keys.sorted().joined(separator: ", ")).
            """)
    }

    /// The number of a property that is of a form, as its row has it; nil for another form, or no value. The snapshot is of a row.
    @inline(__always)
    func word<Value>(_ key: ManagedKey<Value>, _ form: SnapshotShape.Form) -> UInt64? {
        guard let row else { return nil }
        return SnapshotRow(row).word(key, form, part) { stop(without: key.name) }
    }

    /// The string in a property's word.
    func string(_ word: UInt64) -> String { rows.withBytes(word) { String(decoding: $0, as: UTF8.self) } }

    /// Whether the values are in a row.
    @inline(__always)
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
