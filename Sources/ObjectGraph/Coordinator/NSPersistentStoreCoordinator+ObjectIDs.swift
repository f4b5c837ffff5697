import Foundation
import ManagedObjectModel

extension NSPersistentStoreCoordinator {
    /// The ID of a URI; nil for a malformed URI, an unknown entity, or a store that was not added.
    public func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        // The whole of the authority is the store's identifier: no user, no port.
        guard let identifier = url.host, !identifier.isEmpty, url.query == nil, url.fragment == nil,
            url.absoluteString.hasPrefix("x-coredata://\(identifier)/")
        else { return nil }
        let path = url.path.dropFirst()
        guard url.path.hasPrefix("/"),
            let store = persistentStores.first(where: { $0.identifier == identifier })
        else { return nil }
        // The name of an entity may contain a slash, and so may the references of some stores.
        for slash in path.indices.reversed() where path[slash] == "/" {
            let last = path[path.index(after: slash)...]
            guard last.first == "p", let entity = managedObjectModel.entitiesByName[String(path[..<slash])],
                let storedEntity = store.storedEntity(of: entity)
            else { continue }
            if let reference = store.reference(fromText: String(last.dropFirst()), storedEntity) {
                return NSManagedObjectID(storedEntity: storedEntity, reference: reference)
            }
        }
        return nil
    }

    /// The ID of a URI string; nil as for `managedObjectID(forURIRepresentation:)`.
    public func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
    }
}
