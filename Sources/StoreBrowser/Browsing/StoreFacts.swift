import CoreData
import StoreTools

/// The metadata of a store, and the hashes of its model.
struct StoreFacts: Encodable, Sendable {
    struct Fact: Encodable, Sendable {
        let key: String
        let value: String
    }

    struct Hash: Encodable, Sendable {
        let entity: String
        /// That of the model which the store was opened with, in base64.
        let model: String
        /// What the metadata of the store say; nil for nothing.
        let store: String?
    }

    let metadata: [Fact]
    let hashes: [Hash]
    /// How the metadata were read; none of a file that is not a database.
    let statements: [ShownStatement]

    /// - Throws: as `StoreMetadata.values()`.
    init(_ store: BrowsedStore) throws {
        let (values, executions) = try StoreMetadata(store.source.url).tracedValues()
        statements = executions.map { ShownStatement($0, of: "Metadata") }
        metadata = values.map {
            Fact(key: $0.key, value: ShownValue($0.value.plainText, .stringAttributeType, 4000).text)
        }
        var stored: [String: String] = [:]
        if case .object(let hashes)? = values.first(where: { $0.key == NSStoreModelVersionHashesKey })?.value
        {
            for (entity, hash) in hashes {
                if case .object(let data) = hash, case .string(let text)? = data.values.first {
                    stored[entity] = text
                }
            }
        }
        hashes = store.source.model.entityVersionHashesByName.sorted { $0.key < $1.key }.map {
            Hash(entity: $0.key, model: $0.value.base64EncodedString(), store: stored[$0.key])
        }
    }
}
