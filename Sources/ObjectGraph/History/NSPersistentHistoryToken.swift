import Foundation

/// A position in the persistent history of one or several stores.
///
/// `currentPersistentHistoryToken(fromStores:)` of the coordinator returns the newest one, and each transaction has its own. Keep the last
/// one that you have handled in a file, to go on from there in the next run:
///
/// ```swift
/// let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
/// let kept = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
/// ```
///
/// A token has a position for each store by its identifier. A request with a token after which history was deleted fails with 134301,
/// since it would miss changes: read everything again then. Tokens never change, and can be used on any thread.
public final class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The number of the last transaction, by the identifier of the store.
    package let numbers: [String: Int64]

    package init(_ numbers: [String: Int64]) { self.numbers = numbers }

    /// `true`: an archive of a token has only strings and numbers.
    public static var supportsSecureCoding: Bool { true }

    private static let storesKey = "NSPersistentHistoryTokenStores"
    private static let numbersKey = "NSPersistentHistoryTokenNumbers"

    /// Writes the identifiers of the stores and the numbers.
    public func encode(with coder: NSCoder) {
        let stores = numbers.keys.sorted()
        coder.encode(stores.map { $0 as NSString } as NSArray, forKey: Self.storesKey)
        coder.encode(
            stores.map { NSNumber(value: numbers[$0] ?? 0) } as NSArray, forKey: Self.numbersKey)
    }

    /// Reads a token; nil for an archive that has none.
    public init?(coder: NSCoder) {
        let stores = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: Self.storesKey)
        let numbers = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: Self.numbersKey)
        guard let stores = (stores as? NSArray)?.map({ $0 }) as? [String],
            let numbers = (numbers as? NSArray)?.map({ $0 }) as? [NSNumber], stores.count == numbers.count
        else { return nil }
        self.numbers = Dictionary(
            zip(stores, numbers.map(\.int64Value)), uniquingKeysWith: { max($0, $1) })
    }

    /// The token itself: tokens never change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.numbers == numbers
    }

    public override var hash: Int { numbers.hashValue }

    public override var description: String {
        "<NSPersistentHistoryToken \(numbers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })>"
    }
}
