import CoreData

/// The metadata of a store that is not open.
package struct StoreMetadata {
    private let url: URL
    private let type: StoreFileType

    package init(_ url: URL) {
        self.url = url
        type = StoreFileType(url)
    }

    private func dictionary() throws -> [String: Any] {
        guard type == .sqlite else {
            return try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: type.storeType, at: url)
        }
        return try SQLiteStoreTables(url).metadata()
    }

    /// All values by key, sorted.
    ///
    /// - Throws: 259, 134010, 134080 or 134090 when the file is not a store or cannot be read.
    package func values() throws -> [(key: String, value: JSONValue)] { try Self.values(try dictionary()) }

    /// All values by key, sorted, and what was executed to read them: nothing for XML and binary stores.
    ///
    /// - Throws: as `values()`.
    package func tracedValues() throws -> (
        values: [(key: String, value: JSONValue)], executions: [FetchInspection.Execution]
    ) {
        guard type == .sqlite else { return (try values(), []) }
        let (metadata, executions) = try SQLiteStoreTables(url).tracedMetadata()
        return (try Self.values(metadata), executions)
    }

    private static func values(_ metadata: [String: Any]) throws -> [(key: String, value: JSONValue)] {
        try metadata.sorted { $0.key.utf8Precedes($1.key) }
            .map { ($0.key, try PropertyListJSON.json($0.value)) }
    }

    /// The values that the application has set.
    ///
    /// - Throws: as `values()`.
    package func applicationValues() throws -> [(key: String, value: JSONValue)] {
        try values().filter { !Self.isOfFormat($0.key) }
    }

    private static func isOfFormat(_ key: String) -> Bool {
        key == NSStoreTypeKey || SQLiteMetadata.formatKeys.contains(key)
    }

    /// Sets and removes values; others stay.
    ///
    /// - Throws: as `values()`; an error for a key that says how the store is to be opened, for one to be removed that
    ///   is not there, and for a value that property lists do not have. The store is as it was then.
    package func change(setting values: [String: JSONValue], removing keys: [String]) throws {
        for key in Array(values.keys) + keys where Self.isOfFormat(key) {
            throw StoreToolError(
                "'\(key)' says what the store is and how to open it; applications cannot change it.")
        }
        var metadata = try dictionary()
        for key in keys where metadata.removeValue(forKey: key) == nil {
            throw StoreToolError("The metadata has no key '\(key)'.")
        }
        for (key, value) in values { metadata[key] = try PropertyListJSON.propertyList(value) }
        try NSPersistentStoreCoordinator.setMetadata(
            metadata, forPersistentStoreOfType: type.storeType, at: url)
    }
}
