import Foundation
import ManagedObjectModel

extension NSPersistentStoreCoordinator {
    /// The ID that a URI stands for; nil for a malformed URI, an unknown entity, or a store that was not added.
    public func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        // The whole of the authority is the store's identifier: no user, no port.
        guard let identifier = url.host, !identifier.isEmpty, url.query == nil, url.fragment == nil,
            url.absoluteString.hasPrefix("x-coredata://\(identifier)/")
        else { return nil }
        // The name of an entity may contain a slash; a reference does not.
        let path = url.path.dropFirst()
        guard url.path.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return nil }
        let last = path[path.index(after: slash)...]
        guard last.first == "p",
            let store = persistentStores.first(where: { $0.identifier == identifier }),
            let entity = managedObjectModel.entitiesByName[String(path[..<slash])],
            let home = store.home(of: entity),
            let reference = store.reference(fromText: String(last.dropFirst()))
        else { return nil }
        return NSManagedObjectID(home: home, reference: reference)
    }

    /// The ID whose URI a string is; nil as for `managedObjectID(forURIRepresentation:)`.
    public func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
    }
}
