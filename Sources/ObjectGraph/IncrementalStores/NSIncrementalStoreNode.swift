import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The values of one object of an incremental store, at one moment.
///
/// ```swift
/// override func newValuesForObject(
///     with objectID: NSManagedObjectID, with context: NSManagedObjectContext
/// ) throws -> NSIncrementalStoreNode {
///     let record = try record(referenceObject(for: objectID))
///     return NSIncrementalStoreNode(objectID: objectID, withValues: ["title": record.title], version: record.version)
/// }
/// ```
///
/// It has the values of attributes by name, and the object IDs of to-one relationships. The version has to grow with each change of the
/// object: contexts compare it to detect conflicts. It can be used on any thread.
open class NSIncrementalStoreNode: NSObject, @unchecked Sendable {
    /// The identity of the object.
    public let objectID: NSManagedObjectID
    private let lock = NSLock()
    private var values: [String: Any]
    private var number: UInt64

    /// The version of the values: if it differs from that of a row in the row cache, the object has another state.
    open var version: UInt64 { lock.withLock { number } }

    /// Makes a node.
    ///
    /// - Parameters:
    ///   - objectID: the identity of the object.
    ///   - values: the values of attributes by name; of to-one relationships the ID of the destination, or `NSNull`. A missing
    ///     to-one relationship is requested when the object is loaded.
    ///   - version: the version of the values.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        self.objectID = objectID
        self.values = values
        number = version
        super.init()
    }

    /// Replaces the values.
    open func update(withValues values: [String: Any], version: UInt64) {
        lock.withLock {
            self.values = values
            number = version
        }
    }

    /// The value of a property: nil when the node has none, `NSNull` for a relationship without destination.
    open func value(for prop: NSPropertyDescription) -> Any? { lock.withLock { values[prop.name] } }
}
