import CoreData
import StoreTools

/// What a store is, and which entities and properties it has.
struct StoreShape: Encodable, Sendable {
    struct Attribute: Encodable, Sendable {
        let name: String
        /// The type as the model editor writes it.
        let type: String
        let isOptional: Bool
        let isTransient: Bool
        let isDerived: Bool
        /// Whether a table can be sorted by it.
        let isSortable: Bool
        /// Whether objects can be counted by its values.
        let isGroupable: Bool
        let isDate: Bool
        /// How its value can be changed; nil if it cannot.
        let form: Form?
        /// The elements of a composite attribute, those of composite ones in it included, with their paths as names.
        let elements: [Attribute]
    }

    /// What a value is changed with.
    enum Form: String, Encodable, Sendable {
        /// A string.
        case text
        /// The bytes of a file.
        case file
        /// JSON, if the value is made of plain values.
        case json
        /// A field for each element.
        case elements
    }

    struct Relationship: Encodable, Sendable {
        let name: String
        let destination: String
        let isToMany: Bool
        let isOrdered: Bool
        let inverse: String?
        let isOptional: Bool
    }

    struct Entity: Encodable, Sendable {
        let name: String
        let parent: String?
        let isAbstract: Bool
        let attributes: [Attribute]
        let relationships: [Relationship]
    }

    let name: String
    let path: String
    let type: String
    let canWrite: Bool
    /// What is to be known of all that is shown, each as a sentence.
    let notices: [String]
    let entities: [Entity]

    init(_ store: BrowsedStore) {
        let source = store.source
        name = source.url.lastPathComponent
        path = source.url.path
        type = source.type.description
        canWrite = store.editing != nil
        notices = source.notices
        entities = source.store.schema.entities.map { Self.entity($0.storedEntity.entity) }
            .sorted { $0.name.localizedStandardCompare($1.name) == .orderedAscending }
    }

    private static func entity(_ entity: NSEntityDescription) -> Entity {
        let attributes = entity.attributesByName.sorted { $0.key < $1.key }.map { attribute($1) }
        let relationships = entity.relationshipsByName.sorted { $0.key < $1.key }.map { name, relationship in
            Relationship(
                name: name, destination: relationship.destinationEntity?.name ?? "",
                isToMany: relationship.isToMany, isOrdered: relationship.isOrdered,
                inverse: relationship.inverseRelationship?.name, isOptional: relationship.isOptional)
        }
        return Entity(
            name: entity.name ?? "", parent: entity.superentity?.name, isAbstract: entity.isAbstract,
            attributes: attributes, relationships: relationships)
    }

    private static func attribute(_ attribute: NSAttributeDescription, in outer: String = "") -> Attribute {
        let type = attribute.attributeType
        let isPlain = !attribute.isTransient && attribute.isComparable
        let isDerived = attribute is NSDerivedAttributeDescription
        let path = outer.isEmpty ? attribute.name : "\(outer).\(attribute.name)"
        let isElement = !outer.isEmpty
        return Attribute(
            name: path, type: type.displayName, isOptional: attribute.isOptional,
            isTransient: attribute.isTransient, isDerived: isDerived, isSortable: isPlain && !isElement,
            isGroupable: isPlain && !isElement, isDate: type == .dateAttributeType,
            form: isDerived || attribute.isTransient ? nil : form(attribute, isElement: isElement),
            elements: attribute.elementsInside.flatMap { element in
                let shape = Self.attribute(element, in: path)
                return shape.elements.isEmpty ? [shape] : shape.elements
            })
    }

    private static func form(_ attribute: NSAttributeDescription, isElement: Bool) -> Form? {
        switch attribute.attributeType {
        case .binaryDataAttributeType: isElement ? nil : .file
        case .transformableAttributeType: isElement ? nil : .json
        case .compositeAttributeType: .elements
        default: attribute.isComparable ? .text : nil
        }
    }
}

extension NSAttributeDescription {
    /// The elements of a composite attribute; none of another one.
    var elementsInside: [NSAttributeDescription] {
        (self as? NSCompositeAttributeDescription)?.elements ?? []
    }

    /// Whether its values can be compared, and written as text.
    var isComparable: Bool {
        switch attributeType {
        case .undefinedAttributeType, .objectIDAttributeType, .binaryDataAttributeType,
            .transformableAttributeType, .compositeAttributeType:
            false
        default: true
        }
    }
}
