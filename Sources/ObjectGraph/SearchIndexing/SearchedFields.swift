import CocoaFoundation
import Foundation
import FullTextSearch
import ManagedObjectModel

/// What is indexed of the objects of one entity: the attributes with "Index in Spotlight", and the display name.
///
/// Strings, URIs, UUIDs and whole numbers have words. A display name that is the value of an attribute is that attribute; any other
/// expression is a field of its own, computed from stored attributes of the object.
package struct SearchedFields: @unchecked Sendable {
    // Unchecked: descriptions in use, and the expressions in them, do not change.

    package struct Field: @unchecked Sendable {
        /// The index of the field among those of all entities of the hierarchy.
        package let number: Int
        /// The name of the attribute, or ``SearchedFields/displayName``.
        package let name: String
        fileprivate let source: Source
    }

    fileprivate enum Source {
        case attribute(PropertySlot)
        case expression(NSExpression, [PropertySlot])
    }

    /// The name of the field of a computed display name: no property has it.
    package static let displayName = "(display name)"

    package let entity: NSEntityDescription
    /// In the order of the entity's properties, the display name last.
    package let fields: [Field]

    package init(_ entity: NSEntityDescription) {
        self.entity = entity
        let numbers = Self.names(ofHierarchy: entity.rootEntity)
        let layout = EntityLayout.layout(of: entity)
        let name = DisplayName(entity)
        var fields: [Field] = []
        for slot in layout.slots where Self.isIndexed(slot) || name == .attribute(slot.name) {
            guard let number = numbers.firstIndex(of: slot.name) else { continue }
            fields.append(Field(number: number, name: slot.name, source: .attribute(slot)))
        }
        if case .expression(let expression, let keys) = name,
            let number = numbers.firstIndex(of: Self.displayName)
        {
            let slots = keys.compactMap { layout.index(of: $0).map { layout.slots[$0] } }
            fields.append(
                Field(number: number, name: Self.displayName, source: .expression(expression, slots)))
        }
        self.fields = fields
    }

    /// The fields of all entities of a hierarchy, by number.
    package static func names(ofHierarchy root: NSEntityDescription) -> [String] {
        var names: Set<String> = []
        var rest = [root]
        while let entity = rest.popLast() {
            rest += entity.subentities
            for slot in EntityLayout.layout(of: entity).slots where isIndexed(slot) {
                names.insert(slot.name)
            }
            switch DisplayName(entity) {
            case .attribute(let name): names.insert(name)
            case .expression: names.insert(displayName)
            case .none: break
            }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The names of the properties of an entity whose flag has no effect, since they have no words.
    package static func ignoredNames(_ entity: NSEntityDescription) -> [String] {
        EntityLayout.layout(of: entity).slots
            .filter { $0.property.isIndexedBySpotlight && !isIndexed($0) }.map(\.name)
    }

    private static func isIndexed(_ slot: PropertySlot) -> Bool {
        slot.property.isIndexedBySpotlight && hasWords(slot)
    }

    /// Whether the values of a property have words that change with the object alone.
    static func hasWords(_ slot: PropertySlot) -> Bool {
        guard slot.isStored else { return false }
        if let derived = slot.property as? NSDerivedAttributeDescription {
            var isOwn = true
            // The history does not name the object whose derived value follows another object.
            NSComparisonPredicate(
                leftExpression: derived.derivationExpression ?? NSExpression(forConstantValue: nil),
                rightExpression: NSExpression(forConstantValue: nil), modifier: .direct, type: .equalTo
            ).visitExpressions { expression in
                if case .keyPath(_, let path) = expression.kind, path.contains(".") { isOwn = false }
            }
            guard isOwn else { return false }
        }
        switch slot.kind {
        case .string, .uri, .uuid, .integer16, .integer32, .integer64: return true
        default: return false
        }
    }

    /// The slots that are read, by their indexes in the entity's layout.
    package var slots: PropertySet {
        var slots = PropertySet()
        let layout = EntityLayout.layout(of: entity)
        for field in fields {
            for slot in field.source.slots {
                if let index = layout.index(of: slot.name) { slots.insert(index) }
            }
        }
        return slots
    }
}

extension SearchedFields.Source {
    fileprivate var slots: [PropertySlot] {
        switch self {
        case .attribute(let slot): [slot]
        case .expression(_, let slots): slots
        }
    }
}

extension SearchedFields {
    /// What the display name expression of an entity, or of the nearest superentity that has one, means.
    fileprivate enum DisplayName: Equatable {
        case attribute(String)
        case expression(NSExpression, [String])
        case none

        init(_ entity: NSEntityDescription) {
            var next: NSEntityDescription? = entity
            while let candidate = next, candidate.spotlightExpression == nil { next = candidate.superentity }
            guard let expression = next?.spotlightExpression, !expression.isEmptyConstant else {
                self = .none
                return
            }
            let layout = EntityLayout.layout(of: entity)
            func slot(_ name: String) -> PropertySlot? { layout.index(of: name).map { layout.slots[$0] } }
            if case .keyPath(let operand, let path) = expression.kind, case .evaluatedObject = operand.kind,
                let slot = slot(path), SearchedFields.hasWords(slot)
            {
                self = .attribute(path)
                return
            }
            var keys: [String] = []
            var isOwn = true
            NSComparisonPredicate(
                leftExpression: expression, rightExpression: NSExpression(forConstantValue: nil),
                modifier: .direct, type: .equalTo
            ).visitExpressions { part in
                switch part.kind {
                case .keyPath(_, let path):
                    keys.append(path)
                    if !(slot(path)?.isValueOfRow ?? false) { isOwn = false }
                case .block, .subquery, .custom, .variable: isOwn = false
                case .function(let target?, _, _):
                    if case .constant = target.kind { break }
                    isOwn = false
                default: break
                }
            }
            self = isOwn ? .expression(expression, keys) : .none
        }
    }

    /// Whether the display name of an entity reads more than stored attributes of its object, and so is not indexed.
    package static func ignoresDisplayName(_ entity: NSEntityDescription) -> Bool {
        entity.spotlightExpression.map { !$0.isEmptyConstant } ?? false && DisplayName(entity) == .none
    }
}

extension NSExpression {
    fileprivate var isEmptyConstant: Bool { if case .constant(nil) = kind { true } else { false } }
}

extension PropertySlot {
    /// Whether the value is in the row, as it is.
    fileprivate var isValueOfRow: Bool {
        guard isStored, !isDerived else { return false }
        switch kind {
        case .string, .uri, .uuid, .integer16, .integer32, .integer64, .boolean, .double, .float, .date,
            .decimal:
            return true
        default: return false
        }
    }
}

// MARK: Values

extension SearchedFields {
    /// The text of each field that has one, of a row of the entity.
    package func texts(of row: Row) -> [(field: Int, text: String)] {
        texts { slot in
            row.isNull(slot.rowSlot) ? nil : Self.value(row, slot)
        }
    }

    /// The text of each field that has one, of an object of the entity: its current values.
    package func texts(of object: NSManagedObject) -> [(field: Int, text: String)] {
        // Fires a fault; values of the store are compared, not those of accessors.
        object.willAccessValue(forKey: nil)
        return texts { object.primitiveValue(forKey: $0.name) }
    }

    /// The words of an object.
    package func document(of object: NSManagedObject) -> SearchDocument {
        var document = SearchDocument()
        for (field, text) in texts(of: object) { document.setText(text, ofField: field) }
        return document
    }

    private func texts(_ value: (PropertySlot) -> Any?) -> [(field: Int, text: String)] {
        fields.compactMap { field in
            let found: Any? =
                switch field.source {
                case .attribute(let slot): value(slot)
                case .expression(let expression, let slots):
                    try? expression.valueInStore(
                        for: Dictionary(
                            slots.compactMap { slot in value(slot).map { (slot.name, $0) } },
                            uniquingKeysWith: { first, _ in first }))
                }
            return Self.text(found).map { (field.number, $0) }
        }
    }

    private static func value(_ row: Row, _ slot: PropertySlot) -> Any? {
        switch slot.kind {
        case .string, .uri: row.string(slot.rowSlot)
        case .uuid: row.uuid(slot.rowSlot)
        case .integer16, .integer32, .integer64: row.integer(slot.rowSlot)
        case .boolean: row.integer(slot.rowSlot) != 0
        case .double, .float: row.double(slot.rowSlot)
        case .date: Date(timeIntervalSinceReferenceDate: row.double(slot.rowSlot))
        case .decimal: NSDecimalNumber(decimal: row.decimal(slot.rowSlot))
        default: nil
        }
    }

    private static func text(_ value: Any?) -> String? {
        switch value {
        case let text as String: text
        case let url as URL: url.absoluteString
        case let uuid as UUID: uuid.uuidString
        case let number as any BinaryInteger: "\(number)"
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }
}
