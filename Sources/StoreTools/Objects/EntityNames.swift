import CoreDataSQL
import CoreData

/// Finds entities and their properties by name.
struct EntityNames {
    private let entities: [String: SQLEntity]
    private let ignoresCase: Bool
    /// The entities by name in lower case, where only one has it.
    private var lowercased: [String: SQLEntity] = [:]
    /// The slots of each entity by name in lower case, where only one has it, by the number of the entity.
    private var slots: [Int32: [String: Int]] = [:]

    /// - Parameter ignoresCase: whether a name that is not there is that of the only one that differs from it in capitals.
    init(_ schema: SQLSchema, ignoresCase: Bool) {
        self.ignoresCase = ignoresCase
        entities = Dictionary(schema.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        guard ignoresCase else { return }
        lowercased = Self.unique(schema.entities.map { ($0.name.lowercased(), $0) })
        for entity in schema.entities {
            slots[entity.number] = Self.unique(
                entity.storedEntity.layout.slots.enumerated().filter(\.element.isStored).map {
                    ($1.name.lowercased(), $0)
                })
        }
    }

    private static func unique<Value>(_ pairs: [(String, Value)]) -> [String: Value] {
        Dictionary(grouping: pairs, by: \.0).compactMapValues { $0.count == 1 ? $0[0].1 : nil }
    }

    func entity(_ name: String) -> SQLEntity? { entities[name] ?? lowercased[name.lowercased()] }

    /// The slot of a property.
    func slot(_ name: String, of entity: SQLEntity) -> Int? {
        entity.storedEntity.layout.index(of: name) ?? slots[entity.number]?[name.lowercased()]
    }
}
