import ObjectGraph
import Foundation
import ManagedObjectModel

extension SQLValue {
    /// A constant of a predicate as a column of a kind stores it; nil when it cannot be compared with one.
    ///
    /// - Parameter destination: where the keys in the column lead.
    package init?(_ constant: Any, for kind: SlotKind, of destination: StoredEntity?) {
        guard kind == .toOne else {
            self.init(value: constant, kind: kind)
            return
        }
        switch constant {
        case let object as NSManagedObject: self.init(object.storedEntity, object.reference, of: destination)
        case let id as NSManagedObjectID: self.init(id.storedEntity, id.reference, of: destination)
        default: return nil
        }
    }

    /// The key of an object; one that the destination's table does not have matches nothing.
    private init(_ storedEntity: StoredEntity, _ reference: Int64, of destination: StoredEntity?) {
        self = .integer(
            storedEntity.table == destination?.table && !storedEntity.isTemporary ? reference : -1)
    }

    private init?(value: Any, kind: SlotKind) {
        switch kind {
        case .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal:
            // A computed number may be one of seconds.
            if kind == .double, let date = value as? Date {
                self = .double(date.timeIntervalSinceReferenceDate)
                return
            }
            guard let number = SQLValue(number: value) else { return nil }
            // Only a decimal may be no number.
            if case .text = number, kind != .decimal { self = .null } else { self = number }
        case .date:
            if let date = value as? Date {
                self = .double(date.timeIntervalSinceReferenceDate)
            } else {
                // A number is seconds since 2001, as `CAST(…, "NSDate")` has it; an integer is not rounded to a real one.
                guard let number = SQLValue(number: value) else { return nil }
                if case .text = number { self = .null } else { self = number }
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

    /// - Parameter value: a number of Swift or Foundation. Foundation's are checked for their type first: they would cast
    ///   to Swift's types, and lose digits by it.
    private init?(number value: Any) {
        if type(of: value) == Int.self, let value = value as? Int {
            self = .integer(Int64(value))
            return
        }
        if type(of: value) == Int64.self, let value = value as? Int64 {
            self = .integer(value)
            return
        }
        // What most numbers are. The casts below cost more than the search that the number is for.
        if type(of: value) == NSNumber.self {
            self.init(number: unsafeDowncast(value as AnyObject, to: NSNumber.self))
            return
        }
        switch value {
        case let value as Decimal: self = DecimalColumn.stored(value)
        case let value as NSDecimalNumber: self = DecimalColumn.stored(value.decimalValue)
        case let value as NSNumber where type(of: value as Any) is AnyObject.Type: self.init(number: value)
        case let value as Bool: self = .integer(value ? 1 : 0)
        case let value as any FixedWidthInteger:
            self = Int64(exactly: value).map(SQLValue.integer) ?? .double(Double(value))
        case let value as Double: self = .double(value)
        case let value as Float: self = .double(Double(value))
        default: return nil
        }
    }

    private init(number value: NSNumber) {
        switch UInt8(bitPattern: value.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .double(value.doubleValue)
        case UInt8(ascii: "Q") where value.uint64Value > UInt64(Int64.max): self = .double(value.doubleValue)
        default: self = .integer(value.int64Value)
        }
    }
}
