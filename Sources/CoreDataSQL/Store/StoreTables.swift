import ManagedObjectModel
import ObjectGraph
import Synchronization

/// The tables of one open database, and what reads and writes them.
package final class StoreTables: Sendable {
    package let schema: SQLSchema
    /// The persistent history; nil when the database has none.
    package let history: StoreHistory?
    /// Turns queries into statements, those of one shape once.
    package let compiler: FetchCompiler
    /// The statements of saves.
    package let statements: RenderedStatements<SaveStatement>
    /// Those of whole rows by entity, each made when it is first used: a store may have hundreds.
    private let selections = Mutex<[Int32: RowSelection]>([:])
    /// Those of some properties, which clients choose.
    private let partialSelections = Mutex<[PartialSelection: RowSelection]>([:])

    package init(_ schema: SQLSchema, _ history: StoreHistory?) {
        self.schema = schema
        self.history = history
        compiler = FetchCompiler(schema: schema, keepsStatements: true)
        statements = RenderedStatements(schema.dialect)
    }

    /// What reads rows of an entity and its subentities.
    package func selection(of entity: SQLEntity) -> RowSelection {
        if let known = selections.withLock({ $0[entity.number] }) { return known }
        let made = schema.selection(of: entity)
        return selections.withLock { selections in
            // Another thread may have been as fast.
            let present = selections[entity.number] ?? made
            selections[entity.number] = present
            return present
        }
    }

    /// What reads some properties, by their slots, of rows of an entity and its subentities.
    ///
    /// - Parameter hasKeysAlone: whether nothing but these properties and the key is read, of rows of the entity alone.
    package func selection(
        of entity: SQLEntity, only slots: PropertySet, hasKeysAlone: Bool = false
    ) -> RowSelection {
        let key = PartialSelection(entity: entity.number, slots: slots, hasKeysAlone: hasKeysAlone)
        if let known = partialSelections.withLock({ $0[key] }) { return known }
        let made = schema.selection(of: entity, only: slots, hasKeysAlone: hasKeysAlone)
        partialSelections.withLock { selections in
            if selections.count >= Self.maxPartialSelections { selections = [:] }
            selections[key] = made
        }
        return made
    }

    /// How many are kept: clients may choose any properties.
    private static var maxPartialSelections: Int { 100 }

    /// The history, if saves are written to it.
    package var trackedHistory: StoreHistory? { history.flatMap { $0.isTracking ? $0 : nil } }
}

/// An entity, by its number, and some of its properties.
private struct PartialSelection: Hashable {
    let entity: Int32
    let slots: PropertySet
    let hasKeysAlone: Bool
}

/// What a statement of a save does, and to what: an entity by its number, the links of a relationship.
package enum SaveStatement: Hashable, Sendable {
    case reserve(entity: Int32)
    case highest(entity: Int32)
    case insert(entity: Int32)
    case update(entity: Int32, PropertySet)
    case delete(entity: Int32)
    case keepTime(entity: Int32, rowSlot: Int)
    case entityNumber(entity: Int32)
    case derivedValues(entity: Int32)
    case addLink(ObjectIdentifier)
    case removeLink(ObjectIdentifier)
    case endLinks(ObjectIdentifier, column: String, entity: Int32)
    case positions(ObjectIdentifier)
    case order(ObjectIdentifier)
    case orderOfOtherWay(ObjectIdentifier)
}
