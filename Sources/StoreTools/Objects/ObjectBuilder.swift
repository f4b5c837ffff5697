import CoreDataSQL
import CoreData

/// Makes objects of the values that `ObjectValues` writes.
struct ObjectBuilder: ~Copyable {
    /// What an object has for a to-one relationship whose destination has no key yet.
    struct WaitingReference {
        /// The slot of the relationship.
        let slot: Int
        let object: ObjectReference
        let entity: SQLEntity
    }

    /// What is made of an object.
    struct BuiltObject {
        let row: CoreData.Row
        let entity: SQLEntity
        /// What is outside of the row, as the dump names it.
        let lists: [ImportSpool.List]
        let waiting: [WaitingReference]
        /// The attributes derived by `now()` that were given: a trigger sets them when the row comes in.
        let explicitTimes: [PropertySlot]
    }

    private var builder = RowBuilder()
    private let names: EntityNames
    private let reconstruction: ModelReconstruction?
    /// Which key an object gets in the store; nil when that is not known yet.
    private let key: (ObjectReference, SQLEntity) throws -> Int64?
    private var waiting: [WaitingReference] = []

    /// - Parameters:
    ///   - reconstruction: what the model was made from that the objects were written with; nil for a real one.
    ///   - key: says which key an object of the text gets in the store; nil when that is not known yet.
    init(
        _ schema: SQLSchema, reconstruction: ModelReconstruction?,
        key: @escaping (ObjectReference, SQLEntity) throws -> Int64?
    ) {
        self.key = key
        self.reconstruction = reconstruction
        names = EntityNames(schema, ignoresCase: reconstruction != nil)
    }

    /// A new object. What is not there gets the default value of the model.
    ///
    /// - Throws: an error that names the property.
    mutating func object(_ values: [String: JSONValue], _ object: ObjectReference) throws -> BuiltObject {
        guard let entity = names.entity(object.entity) else {
            throw StoreToolError("\(object): the model has no entity named '\(object.entity)'.")
        }
        guard !entity.storedEntity.entity.isAbstract else {
            throw StoreToolError("\(object): the entity is abstract and has no objects.")
        }
        guard let key = try key(object, entity) else {
            throw StoreToolError("\(object): there is no key for it.")
        }
        let layout = entity.storedEntity.layout
        let given = try bySlot(values, entity, object)
        waiting = []
        builder.begin(slotCount: layout.rowSlotCount)
        var lists: [ImportSpool.List] = []
        for (index, slot) in layout.slots.enumerated() where slot.isStored {
            do {
                if slot.kind == .toMany {
                    guard let value = given[index], let relationship = slot.relationship else { continue }
                    lists.append(
                        .init(
                            relationship: relationship, owner: entity, ownerKey: key,
                            destinations: try destinations(value, of: relationship)))
                } else if let value = given[index] {
                    try set(slot, value, index)
                } else {
                    try setDefault(slot, layout.initialValues[index])
                }
            } catch let error as StoreToolError {
                throw StoreToolError("\(object), '\(slot.name)': \(error.description)")
            }
        }
        let row = try builder.finish(
            reference: key, version: 1, entityNumber: entity.number,
            timestamp: Date.timeIntervalSinceReferenceDate)
        let explicitTimes = layout.timeSlots.filter { slot in
            layout.index(of: slot.name).map { given[$0] != nil } ?? false
        }
        return BuiltObject(
            row: row, entity: entity, lists: lists, waiting: waiting, explicitTimes: explicitTimes)
    }

    /// The values by slot.
    private func bySlot(
        _ values: [String: JSONValue], _ entity: SQLEntity, _ object: ObjectReference
    ) throws -> [Int: JSONValue] {
        let slots = entity.storedEntity.layout.slots
        var found: [Int: JSONValue] = [:]
        for (name, value) in values where name != ObjectValues.objectID {
            guard let index = names.slot(name, of: entity), slots[index].isStored else {
                // The columns of other subentities in its table are empty.
                if reconstruction != nil, value == .null || value == .array([]) { continue }
                throw StoreToolError("\(object): the entity has no stored property named '\(name)'.")
            }
            let slot = slots[index]
            if let relationship = slot.relationship, slot.kind == .toMany, !slot.isDumped,
                relationship.inverseRelationship?.isToMany != true
            {
                // Without inverses, both ends are given.
                if reconstruction == .objects { continue }
                throw StoreToolError(
                    """
                    \(object): '\(name)' follows from its inverse '\(relationship.inverseRelationship?.name ?? "")', which \
                    is to be set instead.
                    """)
            }
            found[index] = value
        }
        return found
    }

    private mutating func set(_ slot: PropertySlot, _ value: JSONValue, _ index: Int) throws {
        if slot.kind == .composite { return try setComposite(slot, value, index) }
        if value == .null { return }
        let valueSlot = slot.rowSlot
        switch slot.kind {
        // Stores hold numbers that the model's type is too small for; they stay what they are.
        case .integer16, .integer32, .integer64: builder.set(valueSlot, integer: try Self.integer(value))
        case .boolean:
            if case .bool(let flag) = value {
                builder.set(valueSlot, integer: flag ? 1 : 0)
            } else {
                builder.set(valueSlot, integer: try Self.integer(value))
            }
        case .double, .float: builder.set(valueSlot, double: try Self.double(value))
        case .date:
            if case .string(let text) = value, let seconds = MomentText.seconds(text) {
                builder.set(valueSlot, double: seconds)
            } else {
                builder.set(valueSlot, double: try Self.double(value, "a date like 2023-01-31T12:00:00Z"))
            }
        case .decimal: builder.set(valueSlot, decimal: try Self.decimal(value))
        case .string, .uri: builder.set(valueSlot, string: try Self.text(value, "a string"))
        case .uuid:
            let text = try Self.text(value, "a UUID")
            if reconstruction == .tables, let data = Data(base64Encoded: text), data.count == 16 {
                return builder.set(valueSlot, data: data)
            }
            guard let uuid = UUID(uuidString: text) else { throw StoreToolError("a UUID is expected") }
            builder.set(valueSlot, uuid: uuid)
        case .binary, .transformable:
            if case .object(let members) = value, let name = members[ObjectValues.missingFile] {
                return builder.set(valueSlot, data: try Self.reference(name, slot))
            }
            guard let data = Data(base64Encoded: try Self.text(value, "data in base64")) else {
                throw StoreToolError("data in base64 is expected")
            }
            // The tables do not show which data may be in files, so there the column itself was written.
            builder.set(valueSlot, data: reconstruction == .tables ? data : StoreImport.column(data, slot))
        case .toOne: try setDestination(slot, value, index)
        case .composite, .undefined, .toMany, .fetched: break
        }
    }

    private mutating func setComposite(_ slot: PropertySlot, _ value: JSONValue, _ index: Int) throws {
        if value == .null { return }
        guard case .object(let members) = value else {
            throw StoreToolError("an object is expected, not \(value.kind)")
        }
        for name in members.keys where !slot.elements.contains(where: { $0.name == name }) {
            throw StoreToolError("there is no element named '\(name)'")
        }
        for element in slot.elements {
            if let value = members[element.name] { try set(element, value, index) }
        }
    }

    private mutating func setDestination(_ slot: PropertySlot, _ value: JSONValue, _ index: Int) throws {
        guard let relationship = slot.relationship else { return }
        var value = value
        // Objects do not always show which relationships are to many.
        if reconstruction == .objects, case .array(let elements) = value, elements.count <= 1 {
            guard let element = elements.first else { return }
            value = element
        }
        let (destination, entity) = try destination(value, of: relationship)
        guard let key = try key(destination, entity) else {
            return waiting.append(WaitingReference(slot: index, object: destination, entity: entity))
        }
        builder.set(slot.rowSlot, integer: key)
        if slot.entitySlot >= 0 { builder.set(slot.entitySlot, integer: Int64(entity.number)) }
    }

    private func destinations(
        _ value: JSONValue, of relationship: NSRelationshipDescription
    ) throws -> [(object: ObjectReference, entity: SQLEntity)] {
        if reconstruction == .objects, case .string = value {
            return [try destination(value, of: relationship)]
        }
        guard case .array(let elements) = value else {
            if reconstruction == .objects, value == .null { return [] }
            throw StoreToolError("a list of objects is expected, not \(value.kind)")
        }
        return try elements.map { try destination($0, of: relationship) }
    }

    private func destination(
        _ value: JSONValue, of relationship: NSRelationshipDescription
    ) throws -> (object: ObjectReference, entity: SQLEntity) {
        let wanted = relationship.destinationEntity
        if reconstruction == .tables, case .number(let text) = value, let key = Int64(text),
            let entity = names.entity(wanted?.name ?? "")
        {
            return (ObjectReference(entity: entity.name, key: key), entity)
        }
        guard case .string(let text) = value, let reference = ObjectReference(text) else {
            throw StoreToolError("an object like \(wanted?.name ?? "")/1 is expected")
        }
        guard let entity = names.entity(reference.entity), let wanted,
            entity.storedEntity.entity.isKindOf(entity: wanted)
        else { throw StoreToolError("\(reference) is not a \(wanted?.name ?? "")") }
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
            throw StoreToolError("'\(text)' is not a whole number of 64 bits")
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
            if text == "NaN" { return .nan }
            guard isDecimal(text),
                let number = Decimal(string: text, locale: nil), !number.isNaN
            else { throw StoreToolError("a decimal number is expected, not '\(text)'") }
            return number
        default: throw StoreToolError("a decimal number is expected, not \(value.kind)")
        }
    }

    /// Whether a string is digits with a sign, a fraction or an exponent of up to three digits.
    private static func isDecimal(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        func takeSign() { if let first = rest.first, "+-".utf8.contains(first) { rest.removeFirst() } }
        func digitCount() -> Int {
            let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }.count
            rest.removeFirst(digits)
            return digits
        }
        takeSign()
        guard digitCount() > 0 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard digitCount() > 0 else { return false }
        }
        if let first = rest.first, first | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            takeSign()
            guard (1...3).contains(digitCount()) else { return false }
        }
        return rest.isEmpty
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
