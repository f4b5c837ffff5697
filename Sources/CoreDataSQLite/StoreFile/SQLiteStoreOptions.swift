import ObjectGraph
import Foundation
import GRDB

/// The options of a SQLite store, checked.
struct SQLiteStoreOptions {
    let isReadOnly: Bool
    /// How long a connection waits for a lock, in seconds.
    let timeout: Double
    /// How many connections read at once, at most.
    let connectionCount: Int
    /// The pragmas to set on each connection.
    let pragmas: [(name: String, value: String)]
    /// The pragma `journal_mode`, in lower case: a matter of the file, not of a connection.
    let journalMode: String?
    /// The pragma `auto_vacuum` for a new file: `0`, `1` or `2`.
    let autoVacuum: String
    let analyses: Bool
    let vacuums: Bool
    let ignoresVersion: Bool
    let destroysByForce: Bool
    let tracksHistory: Bool

    /// Options that are not known do not count; see `StoreOptionKeys`.
    ///
    /// - Throws: 134000 for an option whose value is of no use, by name.
    init(_ options: [AnyHashable: Any]?) throws {
        let options = options ?? [:]
        func flag(_ key: String) throws -> Bool {
            guard let value = options[key] else { return false }
            if let flag = value as? Bool { return flag }
            if let number = value as? NSNumber { return number.boolValue }
            throw Self.useless(key, value, "must be a Boolean")
        }
        func number(_ key: String) throws -> Double? {
            guard let value = options[key] else { return nil }
            if let number = (value as? NSNumber)?.doubleValue ?? (value as? Double) { return number }
            throw Self.useless(key, value, "must be a number")
        }
        isReadOnly = try flag(NSReadOnlyPersistentStoreOption)
        analyses = try flag(NSSQLiteAnalyzeOption)
        vacuums = try flag(NSSQLiteManualVacuumOption)
        ignoresVersion = try flag(NSIgnorePersistentStoreVersioningOption)
        if let value = options[NSPersistentHistoryTrackingKey], !(value is NSNumber), !(value is Bool),
            !(value is [AnyHashable: Any]), !(value is NSDictionary)
        {
            throw Self.useless(NSPersistentHistoryTrackingKey, value, "must be a Boolean or a dictionary")
        }
        tracksHistory = StoreOptionKeys.isOn(options[NSPersistentHistoryTrackingKey])
        destroysByForce = try flag(NSPersistentStoreForceDestroyOption)
        let timeout = try number(NSPersistentStoreTimeoutOption) ?? 240
        // SQLite counts milliseconds with 32 bits.
        self.timeout = timeout.isNaN ? 240 : min(max(timeout, 0), 2_000_000)
        let count = try number(NSPersistentStoreConnectionPoolMaxSizeKey) ?? 8
        guard count >= 1, count <= 1000 else {
            throw Self.useless(NSPersistentStoreConnectionPoolMaxSizeKey, count, "must be 1 to 1000")
        }
        connectionCount = Int(count)
        if let protection = options[NSPersistentStoreFileProtectionKey] {
            try Self.checkProtection(protection)
        }
        let pragmas = try Self.pragmas(options[NSSQLitePragmasOption])
        self.pragmas = pragmas.filter { !["journal_mode", "auto_vacuum"].contains($0.name) }
        journalMode = pragmas.first { $0.name == "journal_mode" }?.value.lowercased()
        if let journalMode, !["delete", "truncate", "persist", "memory", "wal"].contains(journalMode) {
            throw Self.useless(
                "journal_mode", journalMode, "must be DELETE, TRUNCATE, PERSIST, MEMORY or WAL")
        }
        let autoVacuum = pragmas.first { $0.name == "auto_vacuum" }?.value.lowercased()
        switch autoVacuum {
        case nil, "2", "incremental": self.autoVacuum = "2"
        case "1", "full": self.autoVacuum = "1"
        case "0", "none": self.autoVacuum = "0"
        default: throw Self.useless("auto_vacuum", autoVacuum ?? "", "must be NONE, FULL or INCREMENTAL")
        }
    }

    /// The options of a store that is made as a draft: with another journal than a write-ahead log, nothing of it may stay beside
    /// the file.
    static func ofDraft(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any]? {
        guard var pragmas = options?[NSSQLitePragmasOption] as? [String: Any],
            let name = pragmas.keys.first(where: { $0.lowercased() == "journal_mode" }),
            "\(pragmas[name] ?? "")".lowercased() == "persist"
        else { return options }
        pragmas[name] = "DELETE"
        return options?.merging([NSSQLitePragmasOption: pragmas]) { $1 }
    }

    private static func useless(_ key: String, _ value: Any, _ rule: String) -> NSError {
        .coreData(.persistentStoreInvalidType, "The store option '\(key)' \(rule); it is '\(value)'.")
    }

    /// The names of Foundation's `FileProtectionType`.
    private static func checkProtection(_ value: Any) throws {
        let name = (value as? FileProtectionType)?.rawValue ?? (value as? String)
        guard let name, name.hasPrefix("NSFileProtection") else {
            throw useless(NSPersistentStoreFileProtectionKey, value, "must be a FileProtectionType")
        }
    }

    /// Pragmas by name in lower case; names and values are words or numbers, so that they can be written into a
    /// statement.
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
            return (name.lowercased(), text)
        }
    }

    /// SQLite itself says nothing of a pragma that it does not know.
    ///
    /// - Throws: 134000 for one, by name.
    func checkPragmas() throws {
        guard !pragmas.isEmpty else { return }
        let known = try DatabaseQueue().read { database in
            try String.fetchSet(database, sql: "SELECT name FROM pragma_pragma_list")
        }
        for pragma in pragmas where !known.contains(pragma.name) {
            throw NSError.coreData(
                .persistentStoreInvalidType,
                "SQLite has no pragma '\(pragma.name)' (\(NSSQLitePragmasOption)).")
        }
    }
}
