import ManagedObjectModel

extension NSManagedObjectModel {
    /// The version identifier of models that were made from the tables or objects of a store.
    package static let reconstructionMark = "OpenCoreData.reconstructed"

    /// Whether the model was made from the tables or objects of a store, see
    /// `NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(ofType:at:options:)`. Stores open with such a
    /// model for reading only.
    public var isReconstructed: Bool { versionIdentifiers.contains(AnyHashable(Self.reconstructionMark)) }

    /// A name that a property can have: names of properties of every managed object begin with a capital.
    package static func reconstructedName(_ name: String) -> String {
        EntityCheck.isReserved(name) ? name.prefix(1).uppercased() + name.dropFirst() : name
    }
}
