import Foundation

/// The numbers that stand for the reference objects of a store within this process.
///
/// Rows and object IDs refer to objects by a number. A store whose objects are identified by values of its own, such as
/// the keys of a web service, gets a number for each.
final class ReferenceTable: @unchecked Sendable {
    private struct Identity: Hashable {
        let entityNumber: Int32
        let reference: AnyHashable
    }

    private let lock = NSLock()
    private var numbers: [Identity: Int64] = [:]
    private var references: [ObjectKey: Any] = [:]
    private var highest: Int64 = 0
    /// The number that the next new reference object gets, in place of one that nothing has.
    private var wanted: Int64?

    /// The number of a reference object of an entity; a new one if it has none. O(1).
    func number(of reference: Any, _ home: StoredEntity) -> Int64 {
        let identity = Identity(entityNumber: home.entityNumber, reference: Self.comparable(reference))
        return lock.withLock {
            if let known = numbers[identity] { return known }
            let number = wanted ?? highest + 1
            wanted = nil
            highest = max(highest, number)
            numbers[identity] = number
            references[ObjectKey(table: home.table, reference: number)] = reference
            return number
        }
    }

    /// The reference object that a number stands for. O(1).
    func reference(_ key: ObjectKey) -> Any? { lock.withLock { references[key] } }

    /// The number of a reference object that is known by its text; nil if there is none.
    func number(ofText text: String, _ home: StoredEntity) -> Int64? {
        let candidates: [AnyHashable] = Int64(text).map { [AnyHashable($0), AnyHashable(text)] } ?? [text]
        return lock.withLock {
            for candidate in candidates {
                let identity = Identity(entityNumber: home.entityNumber, reference: candidate)
                if let number = numbers[identity] { return number }
            }
            return nil
        }
    }

    /// Runs a block in which the first new reference object gets a certain number.
    func withNumber<Value>(_ number: Int64, _ body: () throws -> Value) rethrows -> Value {
        lock.withLock { wanted = number }
        defer { lock.withLock { wanted = nil } }
        return try body()
    }

    /// A value that is equal for equal reference objects, whether they are of a class of Foundation's or not.
    private static func comparable(_ reference: Any) -> AnyHashable {
        switch reference {
        case let number as NSNumber where Int64(exactly: number.doubleValue) != nil:
            return AnyHashable(number.int64Value)
        case let number as any BinaryInteger:
            return Int64(exactly: number).map(AnyHashable.init) ?? AnyHashable("\(number)")
        case let text as String: return AnyHashable(text)
        case let value as AnyHashable: return value
        default: return AnyHashable(ObjectIdentifier(reference as AnyObject))
        }
    }
}
