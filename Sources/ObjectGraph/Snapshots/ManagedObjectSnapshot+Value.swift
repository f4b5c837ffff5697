import Foundation
import ManagedObjectModel

extension ManagedObjectSnapshot {
    /// The value of one property in a snapshot: one case for each kind of property.
    ///
    /// `ManagedObjectSnapshot`'s subscripts return it as a Swift type; switch over it where the type is not known beforehand. Related
    /// objects are their IDs, so that it can be passed to any thread. A missing value is `.null`; a number keeps the precision of its
    /// attribute.
    public enum Value: Sendable, Hashable {
        case null
        /// Of an integer attribute of any size.
        case integer(Int64)
        case boolean(Bool)
        case double(Double)
        case float(Float)
        case decimal(Decimal)
        case string(String)
        case date(Date)
        /// Binary data, and of a transformable attribute the bytes that its store keeps.
        case data(Data)
        case uuid(UUID)
        case url(URL)
        /// The elements of a composite attribute that have a value.
        case composite([String: Value])
        /// The destination of a to-one relationship.
        case object(NSManagedObjectID)
        /// The destinations of a to-many relationship.
        case objects(Set<NSManagedObjectID>)
        /// The destinations of an ordered relationship.
        case orderedObjects([NSManagedObjectID])

        /// The value as a type; nil for none, and where it is of another type.
        func cast<T>(to type: T.Type) -> T? {
            for form in forms {
                if let value = form as? T { return value }
            }
            return (T.self as? any RawRepresentable.Type)?.made(of: self) as? T
        }

        /// The value as Swift has it, and as key-value coding does.
        private var forms: [Any] {
            switch self {
            case .null: []
            case .integer(let value): [NSNumber(value: value)]
            case .boolean(let value): [value, NSNumber(value: value)]
            case .double(let value): [value, NSNumber(value: value)]
            case .float(let value): [value, NSNumber(value: value)]
            case .decimal(let value): [value, NSDecimalNumber(decimal: value)]
            case .string(let value): [value]
            case .date(let value): [value]
            case .data(let value): [value]
            case .uuid(let value): [value]
            case .url(let value): [value]
            case .composite(let elements): [elements, elements.compactMapValues { $0.forms.first }]
            case .object(let id): [id]
            case .objects(let ids): [ids, Array(ids)]
            case .orderedObjects(let ids): [ids, Set(ids)]
            }
        }
    }
}

extension RawRepresentable {
    fileprivate static func made(of value: ManagedObjectSnapshot.Value) -> Any? {
        value.cast(to: RawValue.self).flatMap(Self.init(rawValue:))
    }
}

extension ManagedObjectSnapshot.Value {
    /// The value of an attribute as an object keeps it.
    ///
    /// - Throws: 134060 for one of undefined type that no snapshot can have, or that its transformer refuses.
    init(_ value: SlotValue, _ slot: PropertySlot) throws {
        if case .boxed(let box) = value {
            self = try Self(boxed: box.value, slot)
        } else {
            self.init(plain: value, slot)
        }
    }

    /// The value of an attribute as an object keeps it, which is not one behind a reference.
    init(plain value: SlotValue, _ slot: PropertySlot) {
        switch value {
        case .unloaded, .null: self = .null
        case .integer(let value): self = slot.kind == .boolean ? .boolean(value != 0) : .integer(value)
        case .double(let value):
            switch slot.kind {
            case .date: self = .date(Date(timeIntervalSinceReferenceDate: value))
            case .float: self = .float(Float(value))
            default: self = .double(value)
            }
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .uuid(let value): self = .uuid(value)
        case .url(let value): self = .url(value)
        case .decimal(let value): self = .decimal(value)
        case .object(let object): self = .object(object.objectID)
        case .toMany(let contents):
            let ids = contents.ordered.map(\.objectID)
            self = contents.isOrdered ? .orderedObjects(ids) : .objects(Set(ids))
        case .boxed:
            assertionFailure("A value behind a reference may be one that no snapshot can have.")
            self = .null
        }
    }

    private init(boxed value: Any, _ slot: PropertySlot) throws {
        switch slot.kind {
        case .composite:
            var elements: [String: Self] = [:]
            for (key, any) in value as? [String: Any] ?? [:] {
                guard let element = slot.elements.first(where: { $0.name == key }) else { continue }
                elements[key] = try Self(SlotValue(any, for: element), element)
            }
            self = .composite(elements)
        case .transformable: self = .data(try TransformableValue.encode(value, slot))
        default:
            throw NSError.coreData(
                .coreData, "A snapshot cannot have '\(slot.name)': its value is a \(type(of: value)).")
        }
    }
}
