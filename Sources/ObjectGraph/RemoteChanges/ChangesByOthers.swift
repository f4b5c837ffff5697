/// What other coordinators and programs have changed in a store.
package enum ChangesByOthers: Sendable {
    /// These objects, by the keys of `mergeChanges(fromRemoteContextSave:into:)`.
    case objects([String: [NSManagedObjectID]])
    /// Any object may have changed: there is no history, or the relevant part was deleted.
    case anything
}
