import Foundation
import ManagedObjectModel

extension SQLValue {
    /// A constant of a predicate as a column of a kind stores it; nil when it cannot be compared with one.
    init?(_ constant: Any, for kind: SlotKind, in store: NSPersistentStore?) {
        switch constant {
        case let object as NSManagedObject:
            guard kind == .toOne else { return nil }
            self.init(object.home, object.reference, in: store)
        case let id as NSManagedObjectID:
            guard kind == .toOne else { return nil }
            self.init(id.home, id.reference, in: store)
        default:
            self.init(value: constant, kind: kind)
        }
    }

    /// The key of an object; one that the store does not have matches nothing.
    private init(_ home: StoredEntity, _ reference: Int64, in store: NSPersistentStore?) {
        self = .integer(home.store === store && !home.isTemporary ? reference : -1)
    }

    private init?(value: Any, kind: SlotKind) {
        switch kind {
        case .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal:
            guard let number = SQLValue(number: value) else { return nil }
            self = number
        case .date:
            if let date = value as? Date {
                self = .double(date.timeIntervalSinceReferenceDate)
            } else {
                // A number is seconds since 2001, as `CAST(…, "NSDate")` has it.
                guard let number = value as? NSNumber else { return nil }
                self = .double(number.doubleValue)
            }
        case .string:
            guard let text = value as? String else { return nil }
            self = .text(text)
        case .uri:
            guard let text = (value as? URL)?.absoluteString ?? value as? String else { return nil }
            self = .text(text)
        case .uuid:
            guard let uuid = value as? UUID ?? (value as? String).flatMap(UUID.init(uuidString:)) else {
                return nil
            }
            self = .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .binary, .transformable:
            guard let data = value as? Data else { return nil }
            self = .blob(data)
        case .toOne, .toMany, .composite, .undefined, .fetched:
            return nil
        }
    }

    private init?(number value: Any) {
        switch value {
        case let value as Bool: self = .integer(value ? 1 : 0)
        case let value as any FixedWidthInteger:
            guard let integer = Int64(exactly: value) else { return nil }
            self = .integer(integer)
        case let value as Double: self = .double(value)
        case let value as Float: self = .double(Double(value))
        case let value as Decimal: self = Self.decimal(value)
        case let value as NSDecimalNumber: self = Self.decimal(value.decimalValue)
        case let value as NSNumber: self = .double(value.doubleValue)
        default: return nil
        }
    }

    /// A decimal as a column with numeric affinity compares it.
    static func decimal(_ value: Decimal) -> SQLValue {
        let number = NSDecimalNumber(decimal: value)
        if let integer = Int64(exactly: number.doubleValue), Decimal(integer) == value {
            return .integer(integer)
        }
        return .double(Double("\(value)") ?? number.doubleValue)
    }
}
