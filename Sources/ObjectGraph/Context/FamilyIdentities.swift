/// The IDs that a context has adopted from those it shares with its parent and children.
struct FamilyIdentities {
    /// How many of the family's IDs this context has adopted.
    var adoptedCount = 0
    /// Objects that left before they were saved, if there are children to notify of them.
    var releasedIDs: [NSManagedObjectID] = []

    /// The objects that left since the last call.
    mutating func takeReleasedIDs() -> [NSManagedObjectID] {
        defer { releasedIDs = [] }
        return releasedIDs
    }
}
