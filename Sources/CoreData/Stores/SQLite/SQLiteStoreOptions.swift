import Foundation

/// The options of a SQLite store, checked.
struct SQLiteStoreOptions {
    let isReadOnly: Bool
    /// How long a connection waits for a lock, in seconds.
    let timeout: Double
    /// The pragmas to set on each connection.
    let pragmas: [(name: String, value: String)]
    /// The pragma `journal_mode`, in lower case: a matter of the file, not of a connection.
    let journalMode: String?
    let analyses: Bool
    let vacuums: Bool
    let ignoresVersion: Bool
    let tracksHistory: Bool

    /// - Throws: 134000 for an option that is not supported, by name.
    init(_ options: [AnyHashable: Any]?) throws {
        let options = options ?? [:]
        let known: Set<String> = [
            NSReadOnlyPersistentStoreOption, NSPersistentStoreTimeoutOption, NSSQLitePragmasOption,
            NSSQLiteAnalyzeOption, NSSQLiteManualVacuumOption, NSIgnorePersistentStoreVersioningOption,
            NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
            NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey,
        ]
        for key in options.keys where !known.contains("\(key.base)") {
            throw NSError.coreData(
                .persistentStoreInvalidType,
                "The store option '\(key.base)' is not supported; see Documentation/Compatibility.md.")
        }
        func flag(_ key: String) -> Bool { (options[key] as? Bool) ?? false }
        isReadOnly = flag(NSReadOnlyPersistentStoreOption)
        analyses = flag(NSSQLiteAnalyzeOption)
        vacuums = flag(NSSQLiteManualVacuumOption)
        ignoresVersion = flag(NSIgnorePersistentStoreVersioningOption)
        tracksHistory = flag(NSPersistentHistoryTrackingKey)
        guard options[NSPersistentHistoryTrackingKey].map({ $0 is Bool }) ?? true else {
            throw NSError.coreData(
                .persistentStoreInvalidType,
                "\(NSPersistentHistoryTrackingKey) must be true or false; a dictionary is not supported.")
        }
        let timeout = (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240
        // SQLite counts milliseconds with 32 bits.
        self.timeout = timeout.isNaN ? 240 : min(max(timeout, 0), 2_000_000)
        let pragmas = try Self.pragmas(options[NSSQLitePragmasOption])
        self.pragmas = pragmas.filter { $0.name.lowercased() != "journal_mode" }
        journalMode = pragmas.first { $0.name.lowercased() == "journal_mode" }?.value.lowercased()
    }

    /// Pragmas by name; names and values are words or numbers, so that they can be written into a statement.
    private static func pragmas(_ value: Any?) throws -> [(name: String, value: String)] {
        guard let value else { return [] }
        guard let dictionary = value as? [String: Any] else {
            throw NSError.coreData(
                .persistentStoreInvalidType,
                "\(NSSQLitePragmasOption) must be a dictionary of names and values.")
        }
        return try dictionary.sorted { $0.key < $1.key }.map { name, value in
            let text = "\(value)"
            let isPlain = { (text: String) in
                !text.isEmpty
                    && text.allSatisfy {
                        $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-")
                    }
            }
            guard isPlain(name), isPlain(text) else {
                throw NSError.coreData(
                    .persistentStoreInvalidType, "The pragma '\(name)' = '\(text)' is not a name and a word.")
            }
            return (name, text)
        }
    }
}
