import Foundation
import ManagedObjectModel

extension BinaryStoreFile {
    /// A model made from the objects.
    ///
    /// The file has values in the order of the attributes' names, without the names: they are called `attribute1`,
    /// `attribute2` and so on. Their types are those of the values; one without any value is a string. A relationship is to-one
    /// if no object has more than one destination.
    ///
    /// - Throws: 134080 when the objects contradict each other.
    func reconstructedModel(_ url: URL) throws -> NSManagedObjectModel {
        let nodes = try nodes(url) { _, _ in }
        var reconstruction = ReconstructedDocumentModel(url)
        let hashes = try metadata(url)[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]
        for name in hashes.keys.sorted() { try reconstruction.add(entity: name) }
        var entities: [String: FoundEntity] = [:]
        let storedEntities = Dictionary(
            nodes.map { ($0.number, $0.entityName) }, uniquingKeysWith: { first, _ in first })
        for node in nodes {
            try reconstruction.add(entity: node.entityName)
            var entity = entities.removeValue(forKey: node.entityName) ?? FoundEntity(node)
            do {
                try entity.take(node, storedEntities)
            } catch {
                throw reconstruction.failure("\(error.reason) of entity '\(node.entityName)'")
            }
            entities[node.entityName] = entity
        }
        let groups = DestinationGroups(
            entities.values.flatMap { $0.relationships.values.map(\.reached) },
            isTaken: reconstruction.hasEntity)
        for name in groups.names { try reconstruction.add(entity: name, isAbstract: true) }
        for (name, entity) in entities.sorted(by: { $0.key < $1.key }) {
            for (attribute, type) in entity.attributes {
                try reconstruction.add(attribute: attribute, type, to: name)
            }
            for (relationship, found) in entity.relationships.sorted(by: { $0.key < $1.key }) {
                // A relationship without destinations still needs a destination entity in a model.
                let destination = groups.destination(of: found.reached) ?? name
                try reconstruction.add(
                    relationship: relationship,
                    .init(
                        destination: destination, minCount: 0, maxCount: found.greatestCount > 1 ? 0 : 1,
                        reached: found.reached),
                    to: name)
            }
        }
        return try reconstruction.model()
    }

    /// What the objects of one entity have.
    private struct FoundEntity {
        struct Relationship {
            var reached: Set<String> = []
            var greatestCount = 0
        }

        struct Contradiction: Error {
            let reason: String
        }

        private var types: [NSAttributeType?]
        private(set) var relationships: [String: Relationship] = [:]

        init(_ node: Node) { types = Array(repeating: nil, count: node.values.count) }

        mutating func take(_ node: Node, _ storedEntities: [Int64: String]) throws(Contradiction) {
            guard node.values.count == types.count else {
                throw Contradiction(
                    reason: "there are \(types.count) and \(node.values.count) values in objects")
            }
            for (index, value) in node.values.enumerated() {
                guard let value else { continue }
                let type = BinaryStoreFile.attributeType(of: value)
                guard let known = types[index] else {
                    types[index] = type
                    continue
                }
                guard let both = BinaryStoreFile.attributeType(known, type) else {
                    throw Contradiction(
                        reason:
                            "there are values of type \(known.displayName) and \(type.displayName) in attribute \(index + 1)"
                    )
                }
                types[index] = both
            }
            for (name, numbers) in node.related {
                var relationship = relationships.removeValue(forKey: name) ?? Relationship()
                relationship.greatestCount = max(relationship.greatestCount, numbers.count)
                for number in numbers {
                    if let storedEntity = storedEntities[number] { relationship.reached.insert(storedEntity) }
                }
                relationships[name] = relationship
            }
        }

        /// By name, in the order of the values.
        var attributes: [(String, NSAttributeType)] {
            let width = "\(types.count)".count
            var word = "attribute"
            while relationships.keys.contains(where: { $0.hasPrefix(word) }) { word += "_" }
            return types.enumerated().map { index, type in
                let number = "\(index + 1)"
                let zeros = String(repeating: "0", count: width - number.count)
                return (word + zeros + number, type ?? .stringAttributeType)
            }
        }
    }

    // MARK: Types

    private static func attributeType(of value: Any) -> NSAttributeType {
        switch value {
        case is String: .stringAttributeType
        case is Date: .dateAttributeType
        case is Data: .binaryDataAttributeType
        case is UUID: .UUIDAttributeType
        case is URL: .URIAttributeType
        case is NSDecimalNumber: .decimalAttributeType
        case let number as NSNumber:
            switch UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "d"), UInt8(ascii: "f"): .doubleAttributeType
            case UInt8(ascii: "c"), UInt8(ascii: "B"): .booleanAttributeType
            default: .integer64AttributeType
            }
        default: .transformableAttributeType
        }
    }

    /// The type that includes the values of two; nil when there is none.
    private static func attributeType(_ one: NSAttributeType, _ other: NSAttributeType) -> NSAttributeType? {
        guard one != other else { return one }
        let numbers: [NSAttributeType] = [
            .booleanAttributeType, .integer64AttributeType, .doubleAttributeType, .decimalAttributeType,
        ]
        guard let first = numbers.firstIndex(of: one), let second = numbers.firstIndex(of: other) else {
            return nil
        }
        return numbers[max(first, second)]
    }
}

/// Groups of entities whose objects one relationship leads to: they have a common superentity, whose name is not in the
/// file. It is named after them.
private struct DestinationGroups {
    private var groupNames: [String: String] = [:]

    /// - Parameters:
    ///   - destinations: the names of the entities that each relationship leads to.
    ///   - isTaken: whether there is an entity of a name.
    init(_ destinations: [Set<String>], isTaken: (String) -> Bool) {
        var leaders: [String: String] = [:]
        func leader(_ name: String) -> String {
            var name = name
            while let next = leaders[name] { name = next }
            return name
        }
        for set in destinations where set.count > 1 {
            let members = Set(set.map(leader)).sorted()
            for member in members.dropFirst() { leaders[member] = members[0] }
        }
        let grouped = Set(leaders.keys).union(leaders.values)
        let groups = Dictionary(grouping: grouped.sorted(), by: leader).sorted { $0.key < $1.key }.map(
            \.value)
        var taken: Set<String> = []
        for members in groups {
            var name = members.prefix(3).joined(separator: "Or") + (members.count > 3 ? "OrOther" : "")
            while isTaken(name) || !taken.insert(name).inserted { name += "_" }
            for member in members { groupNames[member] = name }
        }
    }

    var names: [String] { Set(groupNames.values).sorted() }

    /// The entity that a relationship leads to; nil when no object shows it.
    func destination(of reached: Set<String>) -> String? {
        guard reached.count != 1 else { return reached.first }
        return reached.first.flatMap { groupNames[$0] }
    }
}
