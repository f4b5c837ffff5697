import ManagedObjectModel

/// The information that a migrated store needs to adopt the history of its source.
package struct HistoryKeeping {
    /// The mapping of the objects of an entity.
    package struct ObjectMapping {
        package let destination: StoredEntity
        /// For each slot of the destination the slot that its values come from.
        package let origins: [PropertySlot?]

        package init(destination: StoredEntity, origins: [PropertySlot?]) {
            self.destination = destination
            self.origins = origins
        }
    }

    /// The author of the transaction, without changes, that ends the history.
    package let author: String
    /// Whether tables outside of the model are kept too.
    package let keepsOtherTables: Bool
    /// The mapping of the objects of an entity; nil when they are dropped.
    package let way: (StoredEntity) -> ObjectMapping?
    /// The migrated object for an object; nil when it was dropped.
    package let counterpart: (ObjectKey) -> ObjectKey?
}
