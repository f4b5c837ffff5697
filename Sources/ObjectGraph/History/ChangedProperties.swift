import ManagedObjectModel

/// The properties of an entity that a store has noted as changed.
///
/// A class, so that the changes of a history share one.
package protocol ChangedProperties: AnyObject, Sendable {
    /// The properties whose bits are set.
    func properties(in bitmap: [UInt8]) -> Set<NSPropertyDescription>
}
