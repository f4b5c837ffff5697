import Foundation

/// Option key of a store that is indexed for Spotlight from the time it is added. The value is an `NSCoreDataCoreSpotlightDelegate`; any
/// other one is error 134000.
///
/// ```swift
/// description.setOption(
///     BookDelegate(forStoreWith: description, model: container.managedObjectModel),
///     forKey: NSCoreDataCoreSpotlightExporter)
/// ```
public let NSCoreDataCoreSpotlightExporter = "NSCoreDataCoreSpotlightExporter"

/// The value of the option `NSCoreDataCoreSpotlightExporter`.
package protocol StoreExporter: AnyObject {
    /// Called when a store with this value was added to a coordinator.
    func storeWasAdded(_ store: NSPersistentStore, to coordinator: NSPersistentStoreCoordinator)
}

extension NSPersistentStoreCoordinator {
    /// The exporter that the options of a store name; nil without one.
    ///
    /// - Throws: 134000 for another value.
    static func exporter(_ options: [AnyHashable: Any]?) throws -> (any StoreExporter)? {
        guard let value = options?[NSCoreDataCoreSpotlightExporter], !(value is NSNull) else { return nil }
        guard let exporter = value as? any StoreExporter else {
            throw NSError.coreData(
                .persistentStoreInvalidType,
                "The store option '\(NSCoreDataCoreSpotlightExporter)' is an NSCoreDataCoreSpotlightDelegate; it is '\(value)'."
            )
        }
        return exporter
    }
}

extension [AnyHashable: Any]? {
    /// The options of a store that is opened while it is migrated: it is not the one that is added.
    package var ofMigration: [AnyHashable: Any]? {
        var options = self
        options?[NSCoreDataCoreSpotlightExporter] = nil
        return options
    }
}
