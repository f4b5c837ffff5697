import Foundation
import ManagedObjectModel

extension XMLStoreFile {
    /// A model made from the objects, whose names of properties are in lower case, as the file has them.
    ///
    /// - Throws: 134080 when the objects contradict each other, or name a type that is unknown.
    func reconstructedModel(_ url: URL) throws -> NSManagedObjectModel {
        var reconstruction = ReconstructedDocumentModel(url)
        var names = EntityNames()
        // The file has the names in capitals, the hashes have them as they are.
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]
        for name in hashes.keys.sorted() { try reconstruction.add(entity: names.name(name)) }
        var storedEntities: [Int64: String] = [:]
        for object in objects {
            let name = names.name(object.type)
            try reconstruction.add(entity: name)
            if let number = XMLStore.number(object.id) { storedEntities[number] = name }
        }
        for object in objects {
            let entity = names.name(object.type)
            for attribute in object.attributes {
                guard let type = XMLStoreValue.attributeType(attribute.type) else {
                    throw reconstruction.failure(
                        "the type '\(attribute.type)' of attribute '\(attribute.name)' of entity '\(entity)' is unknown"
                    )
                }
                try reconstruction.add(attribute: attribute.name.lowercased(), type, to: entity)
            }
            for relationship in object.relationships {
                let destination = names.name(relationship.destination)
                try reconstruction.add(entity: destination)
                guard let (least, most) = relationship.counts else {
                    throw reconstruction.failure(
                        "the type '\(relationship.type)' of relationship '\(relationship.name)' of entity '\(entity)' is none"
                    )
                }
                let reached = Set(
                    relationship.ids.compactMap { XMLStore.number($0).flatMap { storedEntities[$0] } })
                try reconstruction.add(
                    relationship: relationship.name.lowercased(),
                    .init(destination: destination, minCount: least, maxCount: most, reached: reached),
                    to: entity)
            }
        }
        return try reconstruction.model()
    }

    /// Entities by their names in capitals.
    private struct EntityNames {
        private var names: [String: String] = [:]

        /// The first name found for an entity.
        mutating func name(_ name: String) -> String {
            let key = name.uppercased()
            if let known = names[key] { return known }
            names[key] = name
            return name
        }
    }
}

extension XMLStoreFile.Relationship {
    /// The least and the greatest count; nil for an invalid string.
    fileprivate var counts: (Int, Int)? {
        let numbers = type.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let least = numbers[0], let most = numbers[1], least >= 0, most >= 0 else {
            return nil
        }
        return (least, most)
    }
}
