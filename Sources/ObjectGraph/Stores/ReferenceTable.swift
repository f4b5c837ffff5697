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

    /// The string of a reference object in the URI of an ID.
    private struct Text: Hashable {
        let entityNumber: Int32
        let text: String
    }

    private let lock = NSLock()
    private var numbers: [Identity: Int64] = [:]
    /// The first reference with the string.
    private var texts: [Text: Int64] = [:]
    /// References known only by their strings.
    private var unmet: Set<Text> = []
    private var references: [ObjectKey: Any] = [:]
    private var highest: Int64 = 0
    /// The number of the next new reference object, instead of an unused one.
    private var wanted: Int64?

    /// The number of a reference object of an entity; a new one if it has none. O(1).
    ///
    /// - Parameter reference: a hashable value; any other is an error of the program.
    func number(of reference: Any, _ storedEntity: StoredEntity) -> Int64 {
        guard let comparable = Self.comparable(reference) else {
            fatalError("A reference object must be hashable; a \(type(of: reference)) is not.")
        }
        let identity = Identity(entityNumber: storedEntity.entityNumber, reference: comparable)
        let text = Text(entityNumber: storedEntity.entityNumber, text: "\(reference)")
        return lock.withLock {
            if let known = numbers[identity] {
                unmet.remove(text)
                return known
            }
            // Its ID was known as a string first.
            if let known = texts[text], unmet.remove(text) != nil {
                numbers[identity] = known
                references[ObjectKey(table: storedEntity.table, reference: known)] = reference
                return known
            }
            let number = wanted ?? highest + 1
            wanted = nil
            highest = max(highest, number)
            numbers[identity] = number
            if texts[text] == nil { texts[text] = number }
            references[ObjectKey(table: storedEntity.table, reference: number)] = reference
            return number
        }
    }

    /// The number of the reference object with a string, whether it is known yet or not.
    func number(standingFor text: String, _ storedEntity: StoredEntity) -> Int64 {
        if let known = number(ofText: text, storedEntity) { return known }
        // 007 is not the string of a number.
        let integer = Int64(text).flatMap { String($0) == text ? $0 : nil }
        let number = number(of: integer.map { NSNumber(value: $0) as Any } ?? text, storedEntity)
        _ = lock.withLock { unmet.insert(Text(entityNumber: storedEntity.entityNumber, text: text)) }
        return number
    }

    /// The string of the reference object with a number, in the URI of an ID.
    func text(_ reference: Int64, _ storedEntity: StoredEntity) -> String {
        self.reference(ObjectKey(table: storedEntity.table, reference: reference)).map { "\($0)" }
            ?? String(reference)
    }

    /// The identity of the object of an entity that has a reference object. An entity that the store does not hold is an
    /// error of the program.
    func objectID(
        for entity: NSEntityDescription, _ reference: Any, in store: NSPersistentStore
    ) -> NSManagedObjectID {
        guard let storedEntity = store.storedEntity(of: entity) else {
            fatalError("The store does not hold the entity '\(entity.name ?? "")'.")
        }
        return NSManagedObjectID(storedEntity: storedEntity, reference: number(of: reference, storedEntity))
    }

    /// The reference object of an identity.
    func referenceObject(for objectID: NSManagedObjectID) -> Any {
        reference(objectID.key) ?? objectID.reference
    }

    /// Whether a value can be a reference object.
    static func isUsable(_ reference: Any) -> Bool { comparable(reference) != nil }

    /// The reference object with a number. O(1).
    func reference(_ key: ObjectKey) -> Any? { lock.withLock { references[key] } }

    /// The number of a reference object that is known by its string; nil if there is none.
    func number(ofText text: String, _ storedEntity: StoredEntity) -> Int64? {
        lock.withLock { texts[Text(entityNumber: storedEntity.entityNumber, text: text)] }
    }

    /// Runs a block in which the first new reference object gets a certain number.
    func withNumber<Value>(_ number: Int64, _ body: () throws -> Value) rethrows -> Value {
        lock.withLock { wanted = number }
        defer { lock.withLock { wanted = nil } }
        return try body()
    }

    /// A value that is equal for equal reference objects, whether they are of a class of Foundation's or not;
    /// nil for one that is not hashable.
    private static func comparable(_ reference: Any) -> AnyHashable? {
        switch reference {
        case let number as NSNumber where Int64(exactly: number.doubleValue) != nil:
            return AnyHashable(number.int64Value)
        case let number as any BinaryInteger:
            return Int64(exactly: number).map(AnyHashable.init) ?? AnyHashable("\(number)")
        case let text as String: return AnyHashable(text)
        case let value as AnyHashable: return value
        default: return nil
        }
    }
}
