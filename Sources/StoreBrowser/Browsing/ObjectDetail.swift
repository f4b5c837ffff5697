import CoreData
import StoreTools

/// All that is known of an object.
struct ObjectDetail: Encodable, Sendable {
    struct Field: Encodable, Sendable {
        let name: String
        let value: ShownValue
        /// What a transformable or binary attribute holds.
        var bytes: ShownBytes?
        /// The elements of a composite attribute, by their paths.
        var elements: [Field] = []
        /// How a transformable attribute can be changed, where objects can be.
        var transformable: TransformableForm?
        /// Why the value cannot be read.
        var problem: String?
    }

    struct Link: Encodable, Sendable {
        let id: String
        /// A string of the object by which people know it.
        let label: String?
    }

    struct Relationship: Encodable, Sendable {
        let name: String
        let count: Int
        /// Some of them: the first ones, or those of an ordered relationship from `start` on.
        let links: [Link]
        /// The position of the first link, counted from 0.
        var start = 0
        /// Whether others than these can be requested.
        var hasParts = false
        /// Why it cannot be read.
        var problem: String?
        /// Whether its objects can be put in another order.
        var canMove = false
        /// How it was counted and read.
        var statements: [ShownStatement] = []
    }

    static let longestText = 64 << 10
    private static let maxLinks = 20
    private static let maxLoaded = 200
    /// The order of a longer one is not read, and not changed.
    private static let longestOrder = 100_000

    let id: String
    let entity: String
    let label: String?
    let state: String?
    let fields: [Field]
    let relationships: [Relationship]
    /// How the object itself was read; none for one that is not stored yet.
    let statements: [ShownStatement]

    /// - Parameters:
    ///   - client: who asks; this ends what is still being read of the object that they requested before.
    ///   - starts: the index, counted from 0, from which on the members of ordered relationships are returned.
    /// - Throws: `BrowsingError` when there is no such object, or another one was requested meanwhile; an error of the store.
    init(
        _ reference: ObjectReference, for client: String? = nil, from starts: [String: Int] = [:],
        of store: BrowsedStore
    ) async throws {
        let query = QueryGroup()
        if let client { store.running.begin(client, query) }
        defer { if let client { store.running.end(client, query) } }
        let context = store.objects
        let found = try await store.precedence.ahead {
            try await context.perform { try Self.values(reference, store, context) }
        }
        (id, entity, label, state, fields, statements) = (
            found.id, found.entity, found.label, found.state, found.fields, found.statements
        )
        // All at once: together they take about the time that one query may.
        let toMany: [Relationship] = await withTaskGroup(of: Relationship.self) { group in
            for name in found.toMany {
                group.addTask {
                    do {
                        return try await Self.relationship(
                            name, of: reference, from: starts[name] ?? 0, found.isSaved, store, query)
                    } catch {
                        return Relationship(name: name, count: 0, links: [], problem: Self.text(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        guard !query.isCancelled else { throw BrowsingError.superseded }
        relationships = (found.toOne + toMany).sorted { $0.name < $1.name }
    }

    private static func text(_ error: any Error) -> String {
        (error as? any LocalizedError)?.errorDescription ?? error.localizedDescription
    }

    private struct Values: Sendable {
        let id: String
        let entity: String
        let label: String?
        let state: String?
        let isSaved: Bool
        let fields: [Field]
        let statements: [ShownStatement]
        let toOne: [Relationship]
        let toMany: [String]
    }

    private static func values(
        _ reference: ObjectReference, _ store: BrowsedStore, _ context: NSManagedObjectContext
    ) throws -> Values {
        let times = try row(of: reference, store, context)
        let object = try store.object(reference, in: context)
        let state =
            object.isInserted
            ? "new" : object.isDeleted ? "deleted" : object.hasPersistentChangedValues ? "changed" : nil
        let fields = object.entity.attributesByName.values.sorted { $0.name < $1.name }.map {
            field(object, $0, store)
        }
        let relationships = object.entity.relationshipsByName.values.sorted { $0.name < $1.name }
        return Values(
            id: "\(object.reference)", entity: object.entity.name ?? "", label: object.shownLabel,
            state: state,
            isSaved: !object.objectID.isTemporaryID, fields: fields, statements: times.statements,
            toOne: try relationships.filter { !$0.isToMany }.map { relationship in
                let ids = object.objectIDs(forRelationshipNamed: relationship.name)
                let times = try rows(of: ids, relationship, context)
                return Relationship(
                    name: relationship.name, count: ids.count, links: ids.map { link($0, context) },
                    statements: times.statements)
            }, toMany: relationships.filter(\.isToMany).map(\.name))
    }

    /// Reads the row of an object that is stored.
    private static func row(
        of reference: ObjectReference, _ store: BrowsedStore, _ context: NSManagedObjectContext
    ) throws -> StatementTimes {
        var times = StatementTimes()
        guard reference.key > 0,
            let storedEntity = store.source.store.schema.entities.first(where: { $0.name == reference.entity }
            )?.storedEntity
        else { return times }
        let request = NSFetchRequest<NSManagedObject>(entityName: reference.entity)
        request.predicate = NSComparisonPredicate(
            leftExpression: .expressionForEvaluatedObject(),
            rightExpression: NSExpression(
                forConstantValue: NSManagedObjectID(storedEntity: storedEntity, reference: reference.key)),
            modifier: .direct, type: .equalTo)
        request.returnsObjectsAsFaults = false
        request.includesPendingChanges = false
        _ = try times.fetch(request, "Row of the object", in: context)
        return times
    }

    /// Reads the rows of objects that a relationship leads to, as far as they are stored.
    private static func rows(
        of ids: [NSManagedObjectID], _ relationship: NSRelationshipDescription,
        _ context: NSManagedObjectContext
    ) throws -> StatementTimes {
        var times = StatementTimes()
        let stored = ids.filter { !$0.isTemporaryID }
        guard !stored.isEmpty, let entity = relationship.destinationEntity?.name else { return times }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSComparisonPredicate(
            leftExpression: .expressionForEvaluatedObject(),
            rightExpression: NSExpression(forConstantValue: stored), modifier: .direct, type: .in)
        request.returnsObjectsAsFaults = false
        request.includesPendingChanges = false
        _ = try times.fetch(request, "Rows of \(relationship.name)", in: context)
        return times
    }

    private static func link(_ id: NSManagedObjectID, _ context: NSManagedObjectContext) -> Link {
        // An object that is gone is shown all the same: by its name.
        Link(id: "\(id.toolReference)", label: (try? context.existingObject(with: id))?.shownLabel)
    }

    private static func field(
        _ object: NSManagedObject, _ attribute: NSAttributeDescription, _ store: BrowsedStore
    ) -> Field {
        do {
            if let composite = attribute as? NSCompositeAttributeDescription {
                let value = object.primitiveValue(forKey: attribute.name)
                return Field(
                    name: attribute.name, value: ShownValue(value, attribute.attributeType, longestText),
                    elements: elements(of: composite, value as? [String: Any] ?? [:], attribute.name))
            }
            let stored = try store.storedData(object, attribute, atMost: ArchiveTree.largest)
            let form = transformableForm(object, attribute, isStored: stored != nil, store)
            if let stored {
                let text = "\(stored.length) byte\(stored.length == 1 ? "" : "s")"
                return Field(
                    name: attribute.name, value: ShownValue(kind: .bytes, text: text),
                    bytes: ShownBytes(stored), transformable: form)
            }
            let value =
                attribute.isTransient
                ? object.value(forKey: attribute.name) : object.primitiveValue(forKey: attribute.name)
            return Field(
                name: attribute.name, value: ShownValue(value, attribute.attributeType, longestText),
                transformable: form)
        } catch {
            return Field(name: attribute.name, value: .null, problem: text(error))
        }
    }

    /// The elements of a composite value, those of values in it included.
    private static func elements(
        of composite: NSCompositeAttributeDescription, _ values: [String: Any], _ path: String
    ) -> [Field] {
        composite.elements.flatMap { element -> [Field] in
            let (path, value) = ("\(path).\(element.name)", values[element.name])
            if let inner = element as? NSCompositeAttributeDescription {
                return elements(of: inner, value as? [String: Any] ?? [:], path)
            }
            return [Field(name: path, value: ShownValue(value, element.attributeType, longestText))]
        }
    }

    private static func transformableForm(
        _ object: NSManagedObject, _ attribute: NSAttributeDescription, isStored: Bool, _ store: BrowsedStore
    ) -> TransformableForm? {
        guard store.editing != nil, attribute.attributeType == .transformableAttributeType,
            !attribute.isTransient
        else { return nil }
        return TransformableForm(
            object.primitiveValue(forKey: attribute.name), isStored: isStored, attribute)
    }

    private static func relationship(
        _ name: String, of reference: ObjectReference, from start: Int, _ isSaved: Bool,
        _ store: BrowsedStore, _ group: QueryGroup
    ) async throws -> Relationship {
        let isOrdered = try store.relationship(name, of: reference).isOrdered
        var query = ObjectQuery(entity: try store.destination(of: name, reference))
        query.related = (reference, name)
        let linkQuery = query
        let counted =
            isSaved
            ? try await store.reading(in: group, yields: true) { context, cancellation in
                let request = try linkQuery.request(NSManagedObject.self, of: store, in: context)
                return try FetchInspection(request, in: context).count(cancellation)
            } : nil
        let count = counted?.count ?? 0
        let statements = counted.map { [ShownStatement($0.execution, of: "Number of \(name)")] } ?? []
        guard count > (isOrdered ? longestOrder : maxLoaded) else {
            return try await store.precedence.ahead {
                try await few(name, of: reference, from: start, isSaved, store, group, statements)
            }
        }
        let order = ObjectPage.Order(limit: maxLinks)
        let page = try await store.precedence.ahead {
            try await ObjectPage(linkQuery, order, in: group, of: store)
        }
        return Relationship(
            name: name, count: count, links: page.rows.map { Link(id: $0.id, label: nil) },
            statements: statements + page.statements)
    }

    /// A relationship with few enough objects to read all links, in their order.
    private static func few(
        _ name: String, of reference: ObjectReference, from start: Int, _ isSaved: Bool,
        _ store: BrowsedStore, _ group: QueryGroup, _ counted: [ShownStatement]
    ) async throws -> Relationship {
        let relationship = try store.relationship(name, of: reference)
        var statements = counted
        var ids: [NSManagedObjectID] = []
        if isSaved {
            let found = try await store.reading(in: group) { _, cancellation in
                try FetchInspection.links(
                    of: relationship, owner: reference.key, in: store.source.store, cancellation)
            }
            ids = found.objects
            statements += found.execution.map { [ShownStatement($0, of: "Links of \(name)")] } ?? []
        }
        let (stored, executed) = (ids, statements)
        let context = store.objects
        return try await context.perform {
            // Who may have changes knows them, and their order.
            let ids =
                store.editing == nil
                ? stored : try store.object(reference, in: context).objectIDs(forRelationshipNamed: name)
            let last = (ids.count - 1) / maxLinks * maxLinks
            let first = relationship.isOrdered ? min(max(start, 0), max(last, 0)) / maxLinks * maxLinks : 0
            let shown = Array(ids.dropFirst(first).prefix(maxLinks))
            let times = try rows(of: shown, relationship, context)
            return Relationship(
                name: name, count: ids.count, links: shown.map { link($0, context) }, start: first,
                hasParts: relationship.isOrdered && ids.count > maxLinks,
                canMove: relationship.isOrdered && store.editing != nil,
                statements: executed + times.statements)
        }
    }
}

extension BrowsedStore {
    /// An attribute of an object, with the object.
    ///
    /// - Throws: `BrowsingError` when there is no such one, an error of the store.
    func attribute(
        _ name: String, of reference: ObjectReference, in context: NSManagedObjectContext
    ) throws -> (NSManagedObject, NSAttributeDescription) {
        let object = try object(reference, in: context)
        guard let attribute = object.entity.attributesByName[name] else {
            throw BrowsingError("\(reference) has no attribute '\(name)'.", code: "missing")
        }
        return (object, attribute)
    }

    /// A relationship of an object.
    ///
    /// - Throws: `BrowsingError` when there is no such one.
    func relationship(_ name: String, of reference: ObjectReference) throws -> NSRelationshipDescription {
        guard let relationship = try entity(named: reference.entity).relationshipsByName[name] else {
            throw BrowsingError("\(reference) has no relationship '\(name)'.")
        }
        return relationship
    }

    func destination(of relationship: String, _ reference: ObjectReference) throws -> String {
        try self.relationship(relationship, of: reference).destinationEntity?.name ?? ""
    }

    /// The bytes of a binary or transformable attribute as the store has them; nil for other attributes, for no value, and
    /// for a value that is not stored.
    ///
    /// - Parameters:
    ///   - most: how many bytes are read at most.
    ///   - readsFile: whether a file beside the store that has them is read, as far as that; otherwise only its start.
    /// - Throws: an error of the store; 134060 when the file of external data cannot be read.
    func storedData(
        _ object: NSManagedObject, _ attribute: NSAttributeDescription, atMost most: Int,
        readsFile: Bool = true
    ) throws -> StoredBytes? {
        guard [.binaryDataAttributeType, .transformableAttributeType].contains(attribute.attributeType),
            !attribute.isTransient
        else { return nil }
        let isChanged = object.isInserted || object.changedValues()[attribute.name] != nil
        if isChanged {
            let value = object.primitiveValue(forKey: attribute.name)
            return (value as? Data ?? (value as? OpaqueArchive)?.data).map {
                StoredBytes(start: Data($0.prefix(most)), length: $0.count)
            }
        }
        let reference = object.reference
        return try source.store.withContents { contents in
            let snapshot = contents.snapshot
            guard let entity = snapshot.schema.entities.first(where: { $0.name == reference.entity }),
                let index = entity.storedEntity.layout.index(of: attribute.name),
                let row = try snapshot.rows(of: entity, references: [reference.key]).first
            else { return nil }
            let slot = entity.storedEntity.layout.slots[index]
            guard !row.isNull(slot.rowSlot) else { return nil }
            let file = snapshot.externalFile(row, slot)
            var (start, length) = try snapshot.dataStart(row, slot, atMost: min(most, ShownBytes.longestHex))
            // Of a file that is too long for all of it, the start is enough.
            if start.count < length, length <= most, readsFile || file == nil {
                (start, length) = try snapshot.dataStart(row, slot, atMost: length)
            }
            return StoredBytes(start: start, length: length, file: file)
        }
    }
}

extension NSEntityDescription {
    private static let labelNames = [
        "name", "title", "label", "fullName", "displayName", "text", "identifier",
    ]

    /// The attribute by whose text people know an object: one that is named so, or else the first text; nil for none.
    var labelName: String? {
        let texts = attributesByName.values.filter {
            $0.attributeType == .stringAttributeType && !$0.isTransient
        }
        return Self.labelNames.first { name in texts.contains { $0.name == name } } ?? texts.map(\.name).min()
    }
}

extension NSManagedObject {
    /// A string by which people know the object.
    var shownLabel: String? {
        guard let name = entity.labelName, let text = primitiveValue(forKey: name) as? String, !text.isEmpty
        else { return nil }
        return text.prefix(bytes: 160)
    }
}
