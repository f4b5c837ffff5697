import CocoaFoundation

extension NSManagedObjectModel {
    /// The checksum of the model: base64 of the SHA-256 of all entities' version hashes in the order of the
    /// names.
    ///
    /// Xcode shows it, and the references of a staged migration name models by it.
    public var versionChecksum: String { Self.versionChecksum(of: entityVersionHashesByName) }

    /// The checksum of the model whose entities have the given version hashes.
    package static func versionChecksum(of hashes: [String: Data]) -> String {
        var hash = HashedBytes()
        for (_, digest) in versionHashesInNameOrder(hashes) { hash.update(data: digest) }
        return hash.sha256.base64EncodedString()
    }

    /// What a store writes as `NSStoreModelVersionHashesDigest`: base64 of the SHA-512 of every entity's
    /// name and version hash in the order of the names.
    ///
    /// - Parameter configuration: the configuration of the store; `nil` means all entities.
    package func versionHashesDigest(configuration: String? = nil) -> String {
        var hash = HashedBytes()
        for (name, digest) in Self.versionHashesInNameOrder(versionHashes(configuration: configuration)) {
            hash.update(text: name)
            hash.update(data: digest)
        }
        return hash.sha512.base64EncodedString()
    }

    /// The version hashes of the entities of a configuration by name; `nil` means all entities.
    package func versionHashes(configuration: String?) -> [String: Data] {
        guard let configuration else { return entityVersionHashesByName }
        let entities = entities(forConfigurationName: configuration) ?? []
        let hashes = VersionHashes()
        return Dictionary(entities.map { ($0.name ?? "", hashes.digest(of: $0)) }) { first, _ in first }
    }

    private static func versionHashesInNameOrder(
        _ hashes: [String: Data]
    ) -> [(name: String, digest: Data)] {
        hashes.sorted { $0.key.utf8Precedes($1.key) }.map { (name: $0.key, digest: $0.value) }
    }

    /// Whether a store with the given metadata holds exactly the entities of a configuration, in these
    /// versions.
    ///
    /// - Parameters:
    ///   - configuration: the name of a configuration; `nil` means all entities.
    ///   - metadata: the metadata of a store, whose `NSStoreModelVersionHashes` are compared.
    public func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        guard let stored = metadata[Self.versionHashesKey].flatMap(Self.versionHashes(in:)),
            configuration == nil || entities(forConfigurationName: configuration) != nil
        else { return false }
        return stored == versionHashes(configuration: configuration)
    }

    /// The key of the version hashes in the metadata of a store.
    static let versionHashesKey = "NSStoreModelVersionHashes"

    /// The version hashes in the metadata of a store, which come as `Data` or `NSData`.
    package static func versionHashes(in value: Any) -> [String: Data]? {
        guard let values = value as? [String: Any] else { return nil }
        let hashes = values.compactMapValues { $0 as? Data }
        return hashes.count == values.count ? hashes : nil
    }
}
