import ManagedObjectModel

/// What a migrated store needs to know to take over the history of the one that it was made of.
package struct HistoryKeeping {
    /// What becomes of the objects of an entity.
    package struct Way {
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
    /// Whether tables that belong to no model are kept too.
    package let keepsOtherTables: Bool
    /// What becomes of the objects of an entity; nil when they are gone.
    package let way: (StoredEntity) -> Way?
    /// What became of an object; nil when it is gone.
    package let counterpart: (ObjectKey) -> ObjectKey?
}
