import Foundation

/// Handles options that a store does not support. Apple's framework accepts any; here those that a program may rely on are
/// logged.
package struct StoreOptionKeys {
    /// Keys of Apple's that change nothing here: the store does anyway what they request, or they are for stores of other types
    /// and for services that do not exist.
    private static let withoutEffect: Set<String> = [
        NSReadOnlyPersistentStoreOption, NSPersistentStoreTimeoutOption, NSSQLitePragmasOption,
        NSSQLiteAnalyzeOption, NSSQLiteManualVacuumOption, NSIgnorePersistentStoreVersioningOption,
        NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
        NSPersistentStoreForceDestroyOption, NSPersistentStoreConnectionPoolMaxSizeKey,
        NSPersistentStoreRemoteChangeNotificationPostOptionKey, NSValidateXMLStoreOption,
        NSPersistentHistoryTokenKey, NSCoreDataCoreSpotlightExporter,
        NSPersistentStoreDeferredLightweightMigrationOptionKey,
        "NSPersistentStoreUbiquitousContentNameKey", "NSPersistentStoreUbiquitousContentURLKey",
        "NSPersistentStoreUbiquitousPeerTokenOption", "NSPersistentStoreUbiquitousContainerIdentifierKey",
        "NSPersistentStoreRebuildFromUbiquitousContentOption",
        "NSPersistentStoreRemoveUbiquitousMetadataOption",
    ]

    /// The type of the store.
    let type: String
    /// Whether stores of the type keep a history.
    var keepsHistory = false
    /// Keys of the store's own, beside Apple's.
    var own: Set<String> = []

    package init(type: String, keepsHistory: Bool = false, own: Set<String> = []) {
        self.type = type
        self.keepsHistory = keepsHistory
        self.own = own
    }

    /// The log messages for some options, a sentence for each kind.
    func warnings(_ options: [AnyHashable: Any]) -> [String] {
        var unknown: [String] = []
        var warnings: [String] = []
        for (key, value) in options.map({ ("\($0.key.base)", $0.value) }).sorted(by: { $0.0 < $1.0 }) {
            switch key {
            case NSPersistentStoreFileProtectionKey:
                let name = (value as? FileProtectionType)?.rawValue ?? value as? String
                guard name != FileProtectionType.none.rawValue else { continue }
                warnings.append(
                    "'\(key)' protects nothing here: everyone who may read the file can read it, also while the device is locked"
                )
            case NSBinaryStoreSecureDecodingClasses, NSBinaryStoreInsecureDecodingCompatibilityOption:
                guard type == NSBinaryStoreType else { continue }
                warnings.append(
                    "'\(key)' changes nothing here: only the classes that the model and its transformers name are decoded"
                )
            case NSPersistentHistoryTrackingKey:
                guard !keepsHistory, Self.isOn(value) else { continue }
                warnings.append("'\(key)' has no effect: stores of this type keep no history")
            default:
                if !own.contains(key), !Self.withoutEffect.contains(key) { unknown.append(key) }
            }
        }
        guard !unknown.isEmpty else { return warnings }
        let isSecret = unknown.contains { key in
            ["encrypt", "passphrase", "password", "cipher"].contains { key.lowercased().contains($0) }
        }
        let names = unknown.map { "'\($0)'" }.joined(separator: ", ")
        return warnings + [
            "unknown options are ignored: \(names)\(isSecret ? "; nothing is encrypted" : "")"
        ]
    }

    /// Logs the messages.
    package func log(_ options: [AnyHashable: Any]?, at url: URL?) {
        guard let options, !options.isEmpty else { return }
        for warning in warnings(options) {
            Log.store.warning("Options of the store at \(url?.path ?? "no place") (\(type)): \(warning).")
        }
    }

    /// Whether an option for the history is set: a Boolean, or a dictionary with details, as Apple's framework accepts one.
    package static func isOn(_ value: Any?) -> Bool {
        switch value {
        case let flag as Bool: flag
        case let number as NSNumber: number.boolValue
        case let details as [AnyHashable: Any]: details[NSPersistentHistoryTrackingKey].map(isOn) ?? true
        case let details as NSDictionary:
            details.object(forKey: NSPersistentHistoryTrackingKey).map(isOn) ?? true
        default: false
        }
    }
}
