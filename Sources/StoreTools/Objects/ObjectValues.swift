import CoreDataSQL
import CoreData

/// The values of rows as JSON.
///
/// | attribute | value |
/// |---|---|
/// | integer, Double, Float | number; `"inf"`, `"-inf"` |
/// | Boolean | `true`, `false`; a number for what is neither 0 nor 1 |
/// | Date | `"2023-01-01T00:00:00.25Z"`; a number of seconds since 2001 for what has no such form |
/// | Decimal | string of digits |
/// | String, URI, UUID | string |
/// | Binary, Transformable | string in base64; `{"missingFile": …}` for external data whose file is gone |
/// | composite | object of its elements |
/// | to-one | `"Author/3"` |
/// | to-many | list of these |
package struct ObjectValues {
    private let schema: SQLSchema
    private let snapshot: StoreSnapshot
    /// Whether relationships that the other end lists are left out.
    private let isBrief: Bool

    /// - Parameter isBrief: leaves out what the other end of a relationship lists: to-many relationships with a to-one
    ///   inverse, unless they are ordered, and of a many-to-many relationship one end.
    package init(_ snapshot: StoreSnapshot, isBrief: Bool) {
        self.snapshot = snapshot
        schema = snapshot.schema
        self.isBrief = isBrief
    }

    /// A property as the values of objects have it.
    package struct Field {
        package let name: String
        package let slot: PropertySlot
    }

    /// The properties of an entity that are written for objects, by name.
    package func fields(of entity: SQLEntity) -> [Field] {
        entity.storedEntity.layout.slots.filter { slot in
            guard slot.isStored, slot.kind != .undefined else { return false }
            guard slot.kind == .toMany, let relationship = slot.relationship else { return true }
            guard schema.links(of: relationship) != nil else { return false }
            return !isBrief || slot.isDumped
        }
        .map { Field(name: $0.name, slot: $0) }.sorted { $0.name.utf8Precedes($1.name) }
    }

    /// The values of rows of an entity or its subentities, in the order of the rows. Null values are there.
    ///
    /// - Throws: an error of SQLite; 134060 when external data is there and cannot be read.
    package func objects(
        _ rows: [CoreData.Row], of entity: SQLEntity, _ fields: [Field]
    ) throws -> [[String: JSONValue]] {
        var objects: [[String: JSONValue]] = []
        try forEach(rows, of: entity, fields) { objects.append($1) }
        return objects
    }

    /// Hands out the values of rows of an entity or its subentities, one row at a time: external data can be large.
    ///
    /// - Throws: as `objects(_:of:_:)`, or what `body` throws.
    package func forEach(
        _ rows: [CoreData.Row], of entity: SQLEntity, _ fields: [Field],
        _ body: (CoreData.Row, [String: JSONValue]) throws -> Void
    ) throws {
        var links: [String: [Int64: [JSONValue]]] = [:]
        for field in fields where field.slot.kind == .toMany {
            guard let relationship = field.slot.relationship else { continue }
            let found = try snapshot.destinations(of: relationship, owners: rows.map(\.reference))
            links[field.name] = found.mapValues { destinations in
                let ordered = relationship.isOrdered ? destinations : destinations.sorted { $0 < $1 }
                return ordered.map {
                    .string("\(reference($0.entityNumber, $0.reference, relationship))")
                }
            }
        }
        for row in rows {
            // What a property takes beside its own slot is elsewhere in rows of a subentity.
            let layout = (schema.entity(row.entityNumber) ?? entity).storedEntity.layout
            var values: [String: JSONValue] = [:]
            for field in fields {
                if field.slot.kind == .toMany {
                    values[field.name] = .array(links[field.name]?[row.reference] ?? [])
                } else {
                    let slot = layout.index(of: field.name).map { layout.slots[$0] } ?? field.slot
                    values[field.name] = try value(row, slot)
                }
            }
            try body(row, values)
        }
    }

    /// Which object a row is.
    package func reference(_ row: CoreData.Row, _ entity: SQLEntity) -> ObjectReference {
        ObjectReference(entity: schema.entity(row.entityNumber)?.name ?? entity.name, key: row.reference)
    }

    private func reference(
        _ number: Int32, _ key: Int64, _ relationship: NSRelationshipDescription
    ) -> ObjectReference {
        let name = schema.entity(number)?.name ?? relationship.destinationEntity?.name
        return ObjectReference(entity: name ?? "", key: key)
    }

    private func value(_ row: CoreData.Row, _ slot: PropertySlot) throws -> JSONValue {
        if slot.kind == .composite {
            let elements = try slot.elements.filter(\.isStored).map { ($0.name, try value(row, $0)) }
            return .object(Dictionary(elements, uniquingKeysWith: { first, _ in first }))
        }
        guard !row.isNull(slot.rowSlot) else { return .null }
        switch slot.kind {
        case .integer16, .integer32, .integer64: return .number(String(row.integer(slot.rowSlot)))
        case .boolean:
            let value = row.integer(slot.rowSlot)
            return value == 0 || value == 1 ? .bool(value == 1) : .number(String(value))
        case .double, .float: return number(row.double(slot.rowSlot))
        case .date:
            let seconds = row.double(slot.rowSlot)
            return MomentText.text(seconds).map(JSONValue.string) ?? number(seconds)
        case .decimal: return .string("\(row.decimal(slot.rowSlot))")
        case .string, .uri: return .string(row.string(slot.rowSlot))
        case .uuid: return .string(row.uuid(slot.rowSlot).uuidString)
        case .binary, .transformable: return try data(row, slot)
        case .toOne:
            let stored = slot.entitySlot >= 0 && !row.isNull(slot.entitySlot)
            let number = stored ? Int32(truncatingIfNeeded: row.integer(slot.entitySlot)) : 0
            guard let relationship = slot.relationship else { return .null }
            return .string("\(reference(number, row.integer(slot.rowSlot), relationship))")
        case .composite, .undefined, .toMany, .fetched: return .null
        }
    }

    private func number(_ value: Double) -> JSONValue {
        value.isFinite ? .number("\(value)") : .string("\(value)")
    }

    private func data(_ row: CoreData.Row, _ slot: PropertySlot) throws -> JSONValue {
        guard let file = snapshot.externalFile(row, slot) else {
            // A reference that names no file is written as its bytes.
            let data = (try? snapshot.data(row, slot)) ?? row.data(slot.rowSlot)
            return .string(data.base64EncodedString())
        }
        do {
            return .string(try snapshot.data(row, slot).base64EncodedString())
        } catch let error as NSError {
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
            guard cause?.domain == NSCocoaErrorDomain,
                cause?.code == CocoaError.Code.fileReadNoSuchFile.rawValue
            else { throw error }
            return .object([Self.missingFile: .string(file)])
        }
    }

    package static let missingFile = "missingFile"
    /// The member that says which object it is. No property can have this name.
    package static let objectID = "objectID"
}

extension PropertySlot {
    /// Whether a to-many relationship says something that its other end does not say: its members, or their order.
    var isDumped: Bool { relationship.map { $0.keepsOwnLinks || $0.isOrdered } ?? false }
}
