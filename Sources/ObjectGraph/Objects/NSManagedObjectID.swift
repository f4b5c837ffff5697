import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The identity of a managed object: its store, its entity and its reference in the store.
///
/// An ID can be passed to other contexts and threads, where objects cannot:
///
/// ```swift
/// let id = book.objectID
/// try await background.perform {
///     let same = try background.existingObject(with: id)
///     background.delete(same)
///     try background.save()
/// }
/// ```
///
/// A new object has a temporary ID until it is saved, or until `obtainPermanentIDs(for:)` gives it a permanent one. Keep a permanent ID
/// outside of the program by `uriRepresentation()`; `managedObjectID(forURIRepresentation:)` of a coordinator with the store returns it
/// again. A store that is migrated to another file has other IDs.
public final class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable {
    package let storedEntity: StoredEntity
    package let reference: Int64

    /// An ID without an object: temporary, and of an entity without a name.
    public override convenience init() {
        let entity = NSEntityDescription()
        let storedEntity = StoredEntity(unstored: EntityLayout.layout(of: entity))
        self.init(storedEntity: storedEntity, reference: StoredEntity.newTemporaryReference())
        withExtendedLifetime(entity) {}
    }

    package init(storedEntity: StoredEntity, reference: Int64) {
        self.storedEntity = storedEntity
        self.reference = reference
    }

    package var key: ObjectKey { ObjectKey(table: storedEntity.table, reference: reference) }

    /// The entity of the object.
    public var entity: NSEntityDescription { storedEntity.entity }

    /// The store of the object; nil for a temporary ID and when the store was removed.
    public var persistentStore: NSPersistentStore? { storedEntity.store }

    /// Whether the object has not been saved yet.
    public var isTemporaryID: Bool { storedEntity.isTemporary }

    /// The ID as a URL: `x-coredata://<store UUID>/<Entity>/p<primary key>`, or `x-coredata:///<Entity>/t<UUID><n>`
    /// for a temporary one.
    public func uriRepresentation() -> URL {
        let host = isTemporaryID ? "" : storedEntity.store?.identifier ?? ""
        let last =
            isTemporaryID
            ? "t\(Self.temporaryPrefix)\(-reference)"
            : "p\(storedEntity.store?.referenceText(reference, storedEntity) ?? String(reference))"
        var parts = URLComponents()
        parts.scheme = "x-coredata"
        parts.host = host
        parts.path = "/\(entity.name ?? "")/\(last)"
        return parts.url ?? URL(fileURLWithPath: "/")
    }

    private static let temporaryPrefix = UUID().uuidString

    /// The ID itself: IDs never change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // Sets of IDs hash this again.
    public override var hash: Int { Int(truncatingIfNeeded: reference) ^ Int(storedEntity.table) << 40 }

    public override func isEqual(_ object: Any?) -> Bool {
        // Sets of IDs compare those with close hashes often, so a cast is too slow, and so is a copy of the existential.
        if let other = Self.reference(in: object) {
            return other._withUnsafeGuaranteedRef { $0 === self || $0.key == key }
        }
        guard let object else { return false }
        guard type(of: object) == NSManagedObjectID.self else {
            return (object as? NSManagedObjectID)?.key == key
        }
        return withExtendedLifetime(object) {
            guard let other = UnsafeRawPointer(bitPattern: firstWord(of: object)) else { return false }
            return Unmanaged<NSManagedObjectID>.fromOpaque(other)._withUnsafeGuaranteedRef { $0.key == key }
        }
    }

    /// The ID in an existential whose type is `NSObject` or this class, as a set has it; nil is inconclusive. The existential
    /// keeps the ID.
    @inline(__always)
    private static func reference(in any: Any?) -> Unmanaged<NSManagedObjectID>? {
        withUnsafeBytes(of: any) { words in
            // The value, and behind three words for it its type.
            let type = words.load(fromByteOffset: 3 * MemoryLayout<UInt>.size, as: UInt.self)
            guard
                type == unsafeBitCast(NSObject.self as AnyClass, to: UInt.self)
                    || type == unsafeBitCast(NSManagedObjectID.self as AnyClass, to: UInt.self),
                let pointer = UnsafeRawPointer(bitPattern: words.load(as: UInt.self))
            else { return nil }
            return Unmanaged<NSObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
                Swift.type(of: $0) == NSManagedObjectID.self
            } ? Unmanaged.fromOpaque(pointer) : nil
        }
    }

    public override var description: String {
        "0x\(String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)) <\(uriRepresentation().absoluteString)>"
    }
}

extension NSManagedObjectID: PredicateIdentity {
    package var predicateIdentity: AnyHashable { key }
    package var isPermanentIdentity: Bool { !isTemporaryID }
}

extension NSManagedObject: PredicateIdentity {
    package final var predicateIdentity: AnyHashable { key }
    package final var isPermanentIdentity: Bool { !storedEntity.isTemporary }
}
