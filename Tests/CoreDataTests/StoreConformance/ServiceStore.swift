import CoreData
import Foundation
import Synchronization

/// What the service of a custom incremental store keeps, by URL; it stays when the store is closed.
final class Service: @unchecked Sendable {
    struct Record {
        let entity: String
        var values: [String: Any]
        /// Numbers of destinations by relationship.
        var links: [String: [Int]]
        var version: UInt64
    }

    private static let all = Mutex<[URL: Service]>([:])

    static func at(_ url: URL) -> Service {
        all.withLock { all in
            if let known = all[url] { return known }
            let made = Service()
            all[url] = made
            return made
        }
    }

    let lock = NSRecursiveLock()
    var metadata: [String: Any] = [:]
    var records: [Int: Record] = [:]
    var lastNumber = 0
    var registered: [Int: Int] = [:]
    var loads = 0
    var relationshipLoads = 0
    var failure: NSError?
    var saves = 0
    /// What the last save was to compare and not to write.
    var locked: [NSManagedObjectID] = []
    var fetches: [NSFetchRequest<any NSFetchRequestResult>] = []
    /// The entities of the objects of each request for identities.
    var idRequests: [[String]] = []
    /// How many objects were registered by each call.
    var registrations: [Int] = []
    /// Objects whose conflicts the service finds whenever they are saved.
    var conflicting: [NSManagedObject] = []
}

/// A custom incremental store.
final class ServiceStore: NSIncrementalStore, @unchecked Sendable {
    override var type: String { "Service" }

    var service: Service { Service.at(url ?? URL(fileURLWithPath: "/")) }

    override func loadMetadata() throws {
        let service = service
        service.lock.withLock {
            if service.metadata.isEmpty {
                service.metadata = [
                    NSStoreTypeKey: type,
                    NSStoreUUIDKey: "\(Self.identifierForNewStore(at: url ?? URL(fileURLWithPath: "/")))",
                    NSStoreModelVersionHashesKey: persistentStoreCoordinator?.managedObjectModel
                        .entityVersionHashesByName ?? [:],
                    "NSStoreModelVersionHashesVersion": 3,
                ]
            }
            metadata = service.metadata
        }
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        Service.at(url).metadata
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        Service.at(url).metadata = metadata ?? [:]
    }

    private func number(_ id: NSManagedObjectID) -> Int {
        (referenceObject(for: id) as? NSNumber)?.intValue ?? 0
    }

    private func id(_ number: Int) -> NSManagedObjectID? {
        guard let record = service.records[number],
            let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[record.entity]
        else { return nil }
        return newObjectID(for: entity, referenceObject: NSNumber(value: number))
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws
        -> Any
    {
        let service = service
        return try service.lock.withLock { () throws -> Any in
            if let failure = service.failure {
                service.failure = nil
                throw failure
            }
            switch request {
            case let fetch as NSFetchRequest<any NSFetchRequestResult>:
                service.fetches.append(fetch)
                return try self.fetch(fetch, context)
            case let save as NSSaveChangesRequest:
                service.saves += 1
                service.locked = (save.lockedObjects ?? []).map(\.objectID)
                if !service.conflicting.isEmpty {
                    throw NSError(
                        domain: "Service", code: CocoaError.Code.managedObjectMerge.rawValue,
                        userInfo: [
                            NSPersistentStoreSaveConflictsErrorKey: service.conflicting.map {
                                NSMergeConflict(
                                    source: $0, newVersion: 2, oldVersion: 1, cachedSnapshot: nil,
                                    persistedSnapshot: nil)
                            }
                        ])
                }
                self.save(save)
                return [Any]()
            default: throw CocoaError(.featureUnsupported)
            }
        }
    }

    private func fetch(
        _ request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext?
    ) throws -> [Any] {
        guard let wanted = request.entity else { return [] }
        let service = service
        let candidates = service.records.sorted { $0.key < $1.key }.filter { _, record in
            guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[record.entity]
            else {
                return false
            }
            return request.includesSubentities ? entity.isKindOf(entity: wanted) : entity === wanted
        }
        var found = candidates.map { number, _ in dictionary(number, depth: 1) }
        if let predicate = request.predicate { found = try found.filter { try predicate.matches($0) } }
        let sorted = NSArray(array: found).sortedArray(using: request.sortDescriptors ?? [])
        let rest = sorted.dropFirst(request.fetchOffset)
        let window = request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest
        let numbers = window.compactMap { ($0 as? NSDictionary)?["number"] as? Int }
        switch request.resultType {
        case .countResultType: return [NSNumber(value: numbers.count)]
        case .managedObjectIDResultType: return numbers.compactMap(id)
        case .dictionaryResultType:
            let keys = (request.propertiesToFetch ?? []).compactMap { ($0 as? NSPropertyDescription)?.name }
            return numbers.map { number in
                (service.records[number]?.values ?? [:]).filter { keys.contains($0.key) }
            }
        default: return numbers.compactMap { id($0).flatMap { context?.object(with: $0) } }
        }
    }

    private func dictionary(_ number: Int, depth: Int) -> NSDictionary {
        guard let record = service.records[number] else { return [:] }
        var values = record.values
        values["number"] = number
        if depth > 0 {
            for (key, numbers) in record.links where numbers.count == 1 {
                values[key] = dictionary(numbers[0], depth: depth - 1)
            }
        }
        return NSDictionary(dictionary: values)
    }

    private func save(_ request: NSSaveChangesRequest) {
        let service = service
        if let metadata { service.metadata = metadata }
        for object in request.insertedObjects ?? [] { write(object, version: 1) }
        for object in request.updatedObjects ?? [] {
            write(object, version: (service.records[number(object.objectID)]?.version ?? 0) + 1)
        }
        for object in request.deletedObjects ?? [] { service.records[number(object.objectID)] = nil }
    }

    private func write(_ object: NSManagedObject, version: UInt64) {
        var record = Service.Record(
            entity: object.entity.name ?? "", values: [:], links: [:], version: version)
        for key in object.entity.attributesByName.keys { record.values[key] = object.value(forKey: key) }
        for key in object.entity.relationshipsByName.keys {
            let value = object.value(forKey: key)
            let objects =
                (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? value.map { [$0] } ?? []
            record.links[key] = objects.compactMap { ($0 as? NSManagedObject).map { number($0.objectID) } }
        }
        service.records[number(object.objectID)] = record
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        let service = service
        return try service.lock.withLock {
            service.loads += 1
            guard let record = service.records[number(objectID)] else {
                throw CocoaError(.managedObjectReferentialIntegrity)
            }
            return NSIncrementalStoreNode(
                objectID: objectID, withValues: record.values, version: record.version)
        }
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        let service = service
        return service.lock.withLock {
            service.relationshipLoads += 1
            let ids = (service.records[number(objectID)]?.links[relationship.name] ?? []).compactMap(id)
            return relationship.isToMany ? ids as Any : ids.first ?? NSNull()
        }
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        let service = service
        return service.lock.withLock {
            service.idRequests.append(array.map { $0.entity.name ?? "" })
            return array.map { object in
                service.lastNumber += 1
                return newObjectID(for: object.entity, referenceObject: NSNumber(value: service.lastNumber))
            }
        }
    }

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        let service = service
        service.lock.withLock {
            service.registrations.append(objectIDs.count)
            for id in objectIDs { service.registered[number(id), default: 0] += 1 }
        }
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        let service = service
        service.lock.withLock { for id in objectIDs { service.registered[number(id), default: 0] -= 1 } }
    }
}
