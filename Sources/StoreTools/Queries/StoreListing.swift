import CoreDataSQL
import CoreData

/// All objects of entities, one after the other, with both ends of every relationship.
package struct StoreListing {
    private let source: OpenStore
    private let entities: [SQLEntity]

    /// - Throws: an error for a name that no entity has.
    package init(_ source: OpenStore, entities names: [String]) throws {
        self.source = source
        entities = try names.map(source.entity(named:))
    }

    /// How many objects there are.
    ///
    /// - Throws: an error of the store.
    package func count() throws -> Int { try source.count(entities) }

    /// Hands out the objects: which one it is, the names of its properties, its values.
    ///
    /// - Parameter progress: gets the number of objects handed out so far.
    /// - Throws: an error of the store, or what `body` throws; an error for a value that is not of its column's type,
    ///   which would be written as another one.
    package func forEachObject(
        progress: (Int) -> Void = { _ in },
        _ body: (ObjectReference, [String], [String: JSONValue]) throws -> Void
    ) throws {
        var count = 0
        try source.store.withContents { contents in
            let values = ObjectValues(contents.snapshot, isBrief: false)
            for entity in entities {
                let fields = values.fields(of: entity)
                let names = fields.map(\.name)
                try contents.requireNoMistypedValues(of: entity)
                try contents.snapshot.forEachBatch(of: entity) { rows in
                    try values.forEach(rows, of: entity, fields) { row, object in
                        try body(values.reference(row, entity), names, object)
                    }
                    count += rows.count
                    progress(count)
                }
            }
        }
    }

    /// The names of an entity's properties.
    ///
    /// - Throws: an error of the store.
    package func fields(of name: String) throws -> [String] {
        let entity = try source.entity(named: name)
        return try source.store.withContents {
            ObjectValues($0.snapshot, isBrief: false).fields(of: entity).map(\.name)
        }
    }
}
