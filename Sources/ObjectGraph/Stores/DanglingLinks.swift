import ManagedObjectModel

/// Thrown by a save that would leave dangling links.
package struct DanglingLinks: Error, @unchecked Sendable {
    /// A row that leads to an object that the save deletes.
    package struct Owner {
        let row: Row
        /// The relationship of the row.
        let relationship: NSRelationshipDescription

        package init(row: Row, relationship: NSRelationshipDescription) {
            self.row = row
            self.relationship = relationship
        }
    }

    let store: any ObjectStore
    package let owners: [Owner]
    /// The deleted objects that the save links to.
    package let missing: [ObjectKey]

    package init(store: any ObjectStore, owners: [DanglingLinks.Owner], missing: [ObjectKey]) {
        self.store = store
        self.owners = owners
        self.missing = missing
    }
}
