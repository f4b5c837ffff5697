import Foundation
import Synchronization

/// A state of the stores of a coordinator that contexts can read from, whatever is saved meanwhile.
///
/// ```swift
/// try context.setQueryGenerationFrom(.current)
/// let books = try context.fetch(request)  // Pins the context to what the stores hold now.
/// ```
///
/// SQLite stores in write-ahead logging mode, which is the default, keep generations. Stores of other types, other journal
/// modes and read-only stores do not: of these a context always reads what is there.
///
/// A token holds a reading transaction in each store until its last owner, a context or the program, releases it. Until then
/// SQLite cannot empty its log, which grows with every save: pin for as long as a list is shown, not for as long as a program
/// runs.
public final class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The stores that were there, by their identities, and their generations; none for stores that keep none.
    let stores: [ObjectIdentifier: (any StoreGeneration)?]
    /// Keeps the stores, so that no later one gets the identity of one of them.
    private let kept: [NSPersistentStore]
    private let number: Int64

    private init(
        stores: [ObjectIdentifier: (any StoreGeneration)?], kept: [NSPersistentStore] = [], number: Int64
    ) {
        self.stores = stores
        self.kept = kept
        self.number = number
    }

    /// A token for the moment of the next read of a context that is set to it.
    public static let current = NSQueryGenerationToken(stores: [:], number: 0)

    var isCurrent: Bool { number == 0 }

    /// A token for what the stores of a coordinator hold now.
    ///
    /// - Throws: an error of SQLite.
    static func pinning(_ coordinator: NSPersistentStoreCoordinator) throws -> NSQueryGenerationToken {
        var stores: [ObjectIdentifier: (any StoreGeneration)?] = [:]
        let present = coordinator.objectStores
        for store in present {
            stores[ObjectIdentifier(store)] = .some(try store.makeGeneration())
        }
        return LivingTokens.add { NSQueryGenerationToken(stores: stores, kept: present, number: $0) }
    }

    /// The token itself: tokens never change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? NSQueryGenerationToken)?.number == number
    }

    public override var hash: Int { number.hashValue }

    public override var description: String {
        isCurrent ? "<NSQueryGenerationToken current>" : "<NSQueryGenerationToken \(number)>"
    }

    // MARK: Archives

    /// `true`: an archive of a token has a number and the identifier of this process.
    public static var supportsSecureCoding: Bool { true }

    private static let numberKey = "NSQueryGenerationNumber"
    private static let processKey = "NSQueryGenerationProcess"
    private static let process = UUID().uuidString

    /// Writes what finds the token again, as long as this process runs and holds the token.
    public func encode(with coder: NSCoder) {
        coder.encode(NSNumber(value: number), forKey: Self.numberKey)
        coder.encode(Self.process as NSString, forKey: Self.processKey)
    }

    /// Reads a token; nil for an archive that has none. One whose generation is gone cannot be given to a context.
    public init?(coder: NSCoder) {
        guard let number = coder.decodeObject(of: NSNumber.self, forKey: Self.numberKey)?.int64Value,
            number >= 0,
            let process = coder.decodeObject(of: NSString.self, forKey: Self.processKey) as String?
        else { return nil }
        let living = process == Self.process ? LivingTokens.token(number) : nil
        stores = living?.stores ?? [:]
        kept = living?.kept ?? []
        self.number = number == 0 || living != nil ? number : -1
    }

    /// Whether the token names a generation that has been released.
    var isGone: Bool { number < 0 }
}

/// The live tokens of this process, by their numbers.
private enum LivingTokens {
    private struct Entry: Sendable {
        weak var token: NSQueryGenerationToken?
    }

    private static let entries = Mutex((last: Int64(0), tokens: [Int64: Entry]()))

    static func add(_ make: (Int64) -> NSQueryGenerationToken) -> NSQueryGenerationToken {
        entries.withLock { entries in
            entries.last += 1
            let token = make(entries.last)
            entries.tokens = entries.tokens.filter { $0.value.token != nil }
            entries.tokens[entries.last] = Entry(token: token)
            return token
        }
    }

    static func token(_ number: Int64) -> NSQueryGenerationToken? {
        entries.withLock { $0.tokens[number]?.token }
    }
}
