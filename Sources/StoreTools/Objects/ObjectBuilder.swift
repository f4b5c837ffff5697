import CoreData

/// Makes rows of the values that `ObjectValues` tells.
struct ObjectBuilder: ~Copyable {
    private var builder = RowBuilder()
    private let entities: [String: SQLEntity]
    /// Which key an object gets in the store.
    private let key: (ObjectReference, SQLEntity) throws -> Int64

    /// - Parameter key: says which key an object of the text gets in the store.
    init(_ schema: SQLSchema, key: @escaping (ObjectReference, SQLEntity) throws -> Int64) {
        self.key = key
        entities = Dictionary(schema.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The row of a new object. What is not there gets the default value of the model.
    ///
    /// - Throws: an error that names the property.
    mutating func row(_ values: [String: JSONValue], _ object: ObjectReference) throws -> CoreData.Row {
        guard let entity = entities[object.entity] else {
            throw StoreToolError("\(object): the model has no entity named '\(object.entity)'.")
        }
        guard !entity.home.entity.isAbstract else {
            throw StoreToolError("\(object): the entity is abstract and has no objects.")
        }
        let layout = entity.home.layout
        for name in values.keys where name != ObjectValues.objectID {
            guard let slot = layout.index(of: name), layout.slots[slot].isStored else {
                throw StoreToolError("\(object): the entity has no stored property named '\(name)'.")
            }
            guard layout.slots[slot].kind != .toMany || layout.slots[slot].isTold else {
                let inverse = layout.slots[slot].relationship?.inverseRelationship?.name ?? ""
                throw StoreToolError(
                    "\(object): '\(name)' follows from its inverse '\(inverse)', which is to be set instead.")
            }
        }
        builder.begin(slotCount: layout.rowSlotCount)
        for (index, slot) in layout.slots.enumerated() where slot.isStored && slot.kind != .toMany {
            do {
                if let value = values[slot.name] {
                    try set(slot, value)
                } else {
                    try setDefault(slot, layout.initialValues[index])
                }
            } catch let error as StoreToolError {
                throw StoreToolError("\(object), '\(slot.name)': \(error.description)")
            }
        }
        return builder.finish(
            reference: try key(object, entity), version: 1, entityNumber: entity.number,
            timestamp: Date.timeIntervalSinceReferenceDate)
    }

    private mutating func set(_ slot: PropertySlot, _ value: JSONValue) throws {
        if slot.kind == .composite { return try setComposite(slot, value) }
        if value == .null { return }
        let place = slot.rowSlot
        switch slot.kind {
        // Stores hold numbers that the model's type is too small for; they stay what they are.
        case .integer16, .integer32, .integer64: builder.set(place, integer: try Self.integer(value))
        case .boolean:
            if case .bool(let flag) = value {
                builder.set(place, integer: flag ? 1 : 0)
            } else {
                builder.set(place, integer: try Self.integer(value))
            }
        case .double, .float: builder.set(place, double: try Self.double(value))
        case .date:
            if case .string(let text) = value, let seconds = MomentText.seconds(text) {
                builder.set(place, double: seconds)
            } else {
                builder.set(place, double: try Self.double(value, "a date like 2023-01-31T12:00:00Z"))
            }
        case .decimal: builder.set(place, decimal: try Self.decimal(value))
        case .string, .uri: builder.set(place, string: try Self.text(value, "a string"))
        case .uuid:
            guard let uuid = UUID(uuidString: try Self.text(value, "a UUID")) else {
                throw StoreToolError("a UUID is expected")
            }
            builder.set(place, uuid: uuid)
        case .binary, .transformable:
            if case .object(let members) = value, let name = members[ObjectValues.missingFile] {
                return builder.set(place, data: try Self.reference(name, slot))
            }
            guard let data = Data(base64Encoded: try Self.text(value, "data in base64")) else {
                throw StoreToolError("data in base64 is expected")
            }
            builder.set(place, data: StoreImport.column(data, slot))
        case .toOne: try setDestination(slot, value)
        case .composite, .undefined, .toMany, .fetched: break
        }
    }

    private mutating func setComposite(_ slot: PropertySlot, _ value: JSONValue) throws {
        if value == .null { return }
        guard case .object(let members) = value else {
            throw StoreToolError("an object is expected, not \(value.kind)")
        }
        for name in members.keys where !slot.elements.contains(where: { $0.name == name }) {
            throw StoreToolError("there is no element named '\(name)'")
        }
        for element in slot.elements { if let value = members[element.name] { try set(element, value) } }
    }

    private mutating func setDestination(_ slot: PropertySlot, _ value: JSONValue) throws {
        guard let relationship = slot.relationship else { return }
        let (destination, entity) = try Self.destination(value, of: relationship, entities)
        builder.set(slot.rowSlot, integer: try key(destination, entity))
        if slot.entitySlot >= 0 { builder.set(slot.entitySlot, integer: Int64(entity.number)) }
    }

    /// The keys of the destinations of a to-many relationship.
    ///
    /// - Throws: an error that names the relationship.
    func destinations(
        _ value: JSONValue, of relationship: NSRelationshipDescription, _ object: ObjectReference
    ) throws -> [ObjectKey] {
        do {
            guard case .array(let elements) = value else {
                throw StoreToolError("a list of objects is expected, not \(value.kind)")
            }
            let keys = try elements.map { element in
                let (destination, entity) = try Self.destination(element, of: relationship, entities)
                return ObjectKey(table: entity.home.table, reference: try key(destination, entity))
            }
            guard Set(keys).count == keys.count else { throw StoreToolError("an object is there twice") }
            return keys
        } catch let error as StoreToolError {
            throw StoreToolError("\(object), '\(relationship.name)': \(error.description)")
        }
    }

    private static func destination(
        _ value: JSONValue, of relationship: NSRelationshipDescription, _ entities: [String: SQLEntity]
    ) throws -> (ObjectReference, SQLEntity) {
        guard case .string(let text) = value, let reference = ObjectReference(text) else {
            throw StoreToolError("an object like \(relationship.destinationEntity?.name ?? "")/1 is expected")
        }
        guard let entity = entities[reference.entity], let wanted = relationship.destinationEntity,
            entity.home.entity.isKindOf(entity: wanted)
        else { throw StoreToolError("\(reference) is no \(relationship.destinationEntity?.name ?? "")") }
        return (reference, entity)
    }

    private mutating func setDefault(_ slot: PropertySlot, _ value: SlotValue) throws {
        switch value {
        case .integer(let value): builder.set(slot.rowSlot, integer: value)
        case .double(let value): builder.set(slot.rowSlot, double: value)
        case .string(let value): builder.set(slot.rowSlot, string: value)
        case .data(let value): builder.set(slot.rowSlot, data: StoreImport.column(value, slot))
        case .uuid(let value): builder.set(slot.rowSlot, uuid: value)
        case .url(let value): builder.set(slot.rowSlot, string: value.absoluteString)
        case .decimal(let value): builder.set(slot.rowSlot, decimal: value)
        case .boxed: throw StoreToolError("a value is expected; its default value cannot be stored by itself")
        case .unloaded, .null, .object, .toMany: break
        }
    }

    // MARK: Values

    private static func integer(_ value: JSONValue) throws -> Int64 {
        guard case .number(let text) = value else {
            throw StoreToolError("a number is expected, not \(value.kind)")
        }
        guard let number = Int64(text) else {
            throw StoreToolError("'\(text)' is no whole number of 64 bits")
        }
        return number
    }

    private static func double(_ value: JSONValue, _ what: String = "a number") throws -> Double {
        switch value {
        case .number(let text), .string(let text):
            if let number = Double(text), !number.isNaN { return number }
            throw StoreToolError("\(what) is expected, not '\(text)'")
        default: throw StoreToolError("\(what) is expected, not \(value.kind)")
        }
    }

    private static func decimal(_ value: JSONValue) throws -> Decimal {
        switch value {
        case .number(let text), .string(let text):
            guard text.wholeMatch(of: /[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?/) != nil,
                let number = Decimal(string: text, locale: nil), !number.isNaN
            else { throw StoreToolError("a decimal number is expected, not '\(text)'") }
            return number
        default: throw StoreToolError("a decimal number is expected, not \(value.kind)")
        }
    }

    /// External data whose file is not there stays in its file, wherever that is.
    private static func reference(_ name: JSONValue, _ slot: PropertySlot) throws -> Data {
        guard let file = UUID(uuidString: try text(name, "a UUID")),
            let column = StoreImport.column(naming: file, slot)
        else {
            throw StoreToolError(
                "'\(ObjectValues.missingFile)' takes a UUID, and an attribute that allows external storage")
        }
        return column
    }

    private static func text(_ value: JSONValue, _ what: String) throws -> String {
        guard case .string(let text) = value else {
            throw StoreToolError("\(what) is expected, not \(value.kind)")
        }
        return text
    }
}
