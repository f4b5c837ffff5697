import Foundation
import ManagedObjectModel

extension CodingUserInfoKey {
    /// The `NSPersistentStoreCoordinator` whose objects the decoded `ManagedObjectSnapshot`s are of.
    public static let persistentStoreCoordinator: CodingUserInfoKey = {
        guard let key = CodingUserInfoKey(rawValue: "NSPersistentStoreCoordinator") else {
            fatalError("A CodingUserInfoKey takes every name.")
        }
        return key
    }()
}

/// A snapshot is encoded as `objectID` (its URI), `entity` and `values` by name: numbers, strings, dates and data as the encoder
/// writes them, IDs as URIs, composites as dictionaries.
extension ManagedObjectSnapshot: Codable {
    private enum CodingKeys: String, CodingKey {
        case objectID, entity, values
    }

    fileprivate struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Writes the snapshot.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(objectID.uriRepresentation(), forKey: .objectID)
        try container.encode(entityName, forKey: .entity)
        var list = container.nestedContainer(keyedBy: Name.self, forKey: .values)
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            try list.encode(value, Name(stringValue: key))
        }
    }

    /// Reads a snapshot of an object of the coordinator under `CodingUserInfoKey.persistentStoreCoordinator`.
    ///
    /// - Throws: `DecodingError` without a coordinator, for an ID that is none of its stores' (every temporary one), and where
    ///   names and values are not those of the entity.
    public init(from decoder: any Decoder) throws {
        guard
            let coordinator = decoder.userInfo[.persistentStoreCoordinator] as? NSPersistentStoreCoordinator
        else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription:
                        "To decode a snapshot, give the decoder's userInfo a persistent store coordinator."))
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let id = try container.decodeID(.objectID, coordinator)
        let name = try container.decode(String.self, forKey: .entity)
        guard id.entity.name == name else {
            throw DecodingError.dataCorruptedError(
                forKey: .entity, in: container,
                debugDescription:
                    "The ID is that of an object of entity '\(id.entity.name ?? "")', not '\(name)'.")
        }
        let layout = EntityLayout.layout(of: id.entity)
        let list = try container.nestedContainer(keyedBy: Name.self, forKey: .values)
        var values: [String: Value] = [:]
        for key in list.allKeys {
            guard let slot = layout.index(of: key.stringValue) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: list,
                    debugDescription: "Entity '\(name)' has no property '\(key.stringValue)'.")
            }
            values[key.stringValue] = try list.decodeValue(key, layout.slots[slot], coordinator)
        }
        self.init(objectID: id, values: values)
    }
}

extension KeyedEncodingContainer<ManagedObjectSnapshot.Name> {
    fileprivate mutating func encode(_ value: ManagedObjectSnapshot.Value, _ key: Key) throws {
        switch value {
        case .null: try encodeNil(forKey: key)
        case .integer(let value): try encode(value, forKey: key)
        case .boolean(let value): try encode(value, forKey: key)
        case .double(let value): try encode(value, forKey: key)
        case .float(let value): try encode(value, forKey: key)
        case .decimal(let value): try encode(value, forKey: key)
        case .string(let value): try encode(value, forKey: key)
        case .date(let value): try encode(value, forKey: key)
        case .data(let value): try encode(value, forKey: key)
        case .uuid(let value): try encode(value, forKey: key)
        case .url(let value): try encode(value, forKey: key)
        case .composite(let elements):
            var list = nestedContainer(keyedBy: Key.self, forKey: key)
            for (name, element) in elements.sorted(by: { $0.key < $1.key }) {
                try list.encode(element, Key(stringValue: name))
            }
        case .object(let id): try encode(id.uriRepresentation(), forKey: key)
        case .objects(let ids):
            try encode(ids.map { $0.uriRepresentation().absoluteString }.sorted(), forKey: key)
        case .orderedObjects(let ids): try encode(ids.map { $0.uriRepresentation() }, forKey: key)
        }
    }
}

extension KeyedDecodingContainer {
    fileprivate func decodeID(
        _ key: Key, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSManagedObjectID {
        try id(decode(URL.self, forKey: key), key, coordinator)
    }

    private func id(
        _ url: URL, _ key: Key, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSManagedObjectID {
        guard let id = coordinator.managedObjectID(forURIRepresentation: url) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "\(url.absoluteString) is not an object of the coordinator's stores.")
        }
        return id
    }
}

extension KeyedDecodingContainer<ManagedObjectSnapshot.Name> {
    /// Decodes the value of a property.
    fileprivate func decodeValue(
        _ key: Key, _ slot: PropertySlot, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> ManagedObjectSnapshot.Value {
        if try decodeNil(forKey: key) { return .null }
        switch slot.kind {
        case .integer16, .integer32, .integer64:
            let value = try decode(Int64.self, forKey: key)
            guard slot.kind.integerRange.contains(value) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: self, debugDescription: "\(value) is out of the attribute's range.")
            }
            return .integer(value)
        case .boolean: return .boolean(try decode(Bool.self, forKey: key))
        case .double: return .double(try decode(Double.self, forKey: key))
        case .float: return .float(try decode(Float.self, forKey: key))
        case .date: return .date(try decode(Date.self, forKey: key))
        case .decimal: return .decimal(try decode(Decimal.self, forKey: key))
        case .string: return .string(try decode(String.self, forKey: key))
        case .uri: return .url(try decode(URL.self, forKey: key))
        case .uuid: return .uuid(try decode(UUID.self, forKey: key))
        case .binary, .transformable: return .data(try decode(Data.self, forKey: key))
        case .composite:
            let list = try nestedContainer(keyedBy: Key.self, forKey: key)
            var elements: [String: ManagedObjectSnapshot.Value] = [:]
            for name in list.allKeys {
                guard let element = slot.elements.first(where: { $0.name == name.stringValue }) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: name, in: list,
                        debugDescription: "Composite '\(slot.name)' has no element '\(name.stringValue)'.")
                }
                elements[name.stringValue] = try list.decodeValue(name, element, coordinator)
            }
            return .composite(elements)
        case .toOne: return .object(try decodeID(key, coordinator))
        case .toMany:
            let ids = try decode([URL].self, forKey: key).map { try id($0, key, coordinator) }
            return slot.isOrdered ? .orderedObjects(ids) : .objects(Set(ids))
        case .undefined, .fetched:
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "A snapshot cannot have '\(slot.name)'.")
        }
    }
}
