/// What random conditions on the objects of a model are made of: key paths with what they lead to.
struct ConditionVocabulary {
    /// What an attribute can be compared with.
    enum Kind: CaseIterable {
        case integer, boolean
        /// Real numbers, also infinite ones, and what is none.
        case real
        /// Integers at the ends of their type: whether a partial sum of them fits depends on the order.
        case hard
        case decimal, text, date, uuid, uri, data
        /// What is only compared with nil.
        case opaque
    }

    /// An attribute, or an element of a composite one.
    struct Attribute {
        /// The key path as a format string has it.
        let path: String
        let kind: Kind
    }

    /// A key path over relationships.
    struct ObjectMapping {
        let path: String
        let entity: String
    }

    /// A subentity of an entity, with what it has more.
    struct Subentity {
        let name: String
        let attributes: [Attribute]
    }

    struct Entity {
        /// The name of the entity from which all of its hierarchy inherit.
        var root = ""
        var attributes: [Attribute] = []
        /// Paths to one object.
        var toOne: [ObjectMapping] = []
        /// Paths to many objects.
        var toMany: [ObjectMapping] = []
        /// Ordered relationships of the entity itself.
        var ordered: [ObjectMapping] = []
        var subentityNames: [Subentity] = []
        /// The serials of the existing objects, including those of subentities.
        var serials: [Int] = []

        func paths(_ kinds: [Kind]) -> [String] {
            attributes.filter { kinds.contains($0.kind) }.map(\.path)
        }
    }

    let entities: [String: Entity]
    /// The names of the entities, in an order that is always the same.
    let names: [String]

    init(_ entities: [(String, Entity)]) {
        names = entities.map(\.0)
        self.entities = Dictionary(uniqueKeysWithValues: entities)
    }

    subscript(_ name: String) -> Entity { entities[name] ?? Entity() }
}

extension [ConditionVocabulary.Kind] {
    /// What can be summed to the same number in every order.
    static var exact: Self { [.integer, .boolean, .real, .decimal] }
    static var integers: Self { [.integer, .boolean] }
    static var numbers: Self { exact + [.hard] }
}
