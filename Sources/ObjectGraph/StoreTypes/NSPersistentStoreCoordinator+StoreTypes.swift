import Foundation
import Synchronization

// The types of stores, and the classes that make them.

extension NSPersistentStoreCoordinator {
    /// Registers the class of stores of a type.
    ///
    /// - Parameters:
    ///   - storeClass: a subclass of `NSAtomicStore` or `NSIncrementalStore`; nil removes the registration.
    ///   - storeType: the name that stores of the class are added with.
    public class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        guard let storeClass else { return StoreTypes.register(nil, storeType) }
        guard let found = storeClass as? any ObjectStore.Type else {
            fatalError(
                "\(storeClass) cannot be registered for stores: it must be a subclass of NSAtomicStore or NSIncrementalStore."
            )
        }
        StoreTypes.register(found, storeType)
    }

    /// Registers the class of stores of a type.
    ///
    /// - Parameters:
    ///   - storeClass: a subclass of `NSAtomicStore` or `NSIncrementalStore`; nil removes the registration.
    ///   - type: the type that stores of the class are added with.
    public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: type.rawValue)
    }

    /// The classes of all types of stores, each as a value that holds the address of the class (`UInt64`).
    public class var registeredStoreTypes: [String: NSValue] {
        StoreTypes.all.mapValues { found in
            var address = UInt64(
                UInt(bitPattern: unsafeBitCast(found as AnyClass, to: UnsafeRawPointer.self)))
            return NSValue(bytes: &address, objCType: "Q")
        }
    }

    /// - Throws: 134000 for a type of store that there is none of.
    static func storeClass(ofType storeType: String) throws -> any ObjectStore.Type {
        if let found = StoreTypes.all[storeType] { return found }
        throw NSError.coreData(
            .persistentStoreInvalidType,
            """
            There are no stores of type '\(storeType)', only of \(StoreTypes.all.keys.sorted().joined(separator: ", ")). \
            Register the class of a type of your own with registerStoreClass(_:forStoreType:).
            """)
    }

    /// - Throws: 134080 for a store that has to be somewhere.
    static func locationWithoutURL(_ storeClass: any ObjectStore.Type, _ storeType: String) throws -> URL {
        guard !storeClass.needsURL else {
            throw NSError.coreData(.persistentStoreOpen, "A store of type \(storeType) needs a URL.")
        }
        return URL(fileURLWithPath: "/dev/null")
    }
}

/// The classes of stores in a database that are part of the program, by their types. A module of such stores replaces this function, which
/// happens when the program is loaded: no call is needed to register a store type.
dynamic package func databaseStoreClasses() -> [String: any ObjectStore.Type] { [:] }

private enum StoreTypes {
    private static let own: [String: any ObjectStore.Type] = databaseStoreClasses().merging([
        NSXMLStoreType: XMLStore.self, NSBinaryStoreType: BinaryStore.self,
        NSInMemoryStoreType: MemoryStore.self,
    ]) { database, _ in database }
    private static let registered = Mutex<[String: any ObjectStore.Type]>([:])

    static var all: [String: any ObjectStore.Type] {
        registered.withLock { $0 }.merging(own) { registered, _ in registered }
    }

    static func register(_ found: (any ObjectStore.Type)?, _ storeType: String) {
        registered.withLock { $0[storeType] = found }
    }
}
