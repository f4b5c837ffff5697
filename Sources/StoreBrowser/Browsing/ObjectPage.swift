import CoreData
import StoreTools

/// A part of a table of objects.
struct ObjectPage: Encodable, Sendable {
    struct Row: Encodable, Sendable {
        let id: String
        /// In the order of the columns.
        let values: [ShownValue]
        /// `new`, `changed` or `deleted`, but not saved; nil for what is as in the store.
        let state: String?
    }

    static let maxRows = 200
    private static let longestText = 300

    let entity: String
    /// The names of attributes and to-one relationships.
    let columns: [String]
    let rows: [Row]
    /// What to ask for the next page with; nil for the last page.
    let next: String?
    let statements: [ShownStatement]

    /// How a page is requested.
    struct Order: Sendable {
        /// The attribute to sort by; nil for the order of the primary keys.
        var key: String?
        var isAscending = true
        /// What the page before said; nil for the first page.
        var after: Int64?
        var limit = 100
    }

    /// - Parameter group: the query that the page is a part of; nil for one of its own.
    /// - Throws: `PredicateFormatError`, `BrowsingError`, an error of the store.
    init(
        _ query: ObjectQuery, _ order: Order, in group: QueryGroup = QueryGroup(),
        of store: BrowsedStore
    ) async throws {
        let entity = try store.entity(named: query.entity)
        if let key = order.key {
            guard let attribute = entity.attributesByName[key], attribute.isComparable, !attribute.isTransient
            else {
                throw BrowsingError("The table cannot be sorted by '\(key)'.", field: "sort")
            }
        }
        let limit = min(max(order.limit, 1), Self.maxRows)
        let page = try await store.reading(for: query.client, in: group) { context, cancellation in
            let request = try query.request(NSManagedObject.self, of: store, in: context)
            return try FetchInspection(request, in: context).page(
                sortedBy: order.key, ascending: order.isAscending, after: order.after, limit: limit,
                cancellation)
        }
        let attributes = entity.attributesByName.values.sorted { $0.name < $1.name }
        let links = entity.relationshipsByName.values.filter { !$0.isToMany }.sorted { $0.name < $1.name }
        let context = store.objects
        let isFirst = order.after == nil && query.predicate.isEmpty && query.related == nil
        let shown = attributes
        let fetched: StatementTimes
        (rows, fetched) = try await context.perform {
            var times = StatementTimes()
            let objects = try Self.objects(page.keys, of: query.entity, in: store, context, &times)
            // What is not in the store yet has no position in an order.
            let new =
                isFirst
                ? context.insertedObjects.filter { $0.entity.isKindOf(entity: entity) }
                    .sorted { $0.objectID.toolReference.key > $1.objectID.toolReference.key } : []
            let rows = (new + objects).map { object in
                Row(
                    id: "\(object.reference)",
                    values: shown.map { ShownValue(object, $0, longest: Self.longestText) }
                        + links.map { link in
                            object.objectIDs(forRelationshipNamed: link.name).first.map(ShownValue.init)
                                ?? .null
                        },
                    state: object.isInserted
                        ? "new"
                        : object.isDeleted ? "deleted" : object.hasPersistentChangedValues ? "changed" : nil)
            }
            return (rows, times)
        }
        self.entity = query.entity
        columns = (attributes as [NSPropertyDescription] + links).map(\.name)
        next = page.hasMore ? page.keys.last.map(String.init) : nil
        statements =
            page.executions.map { ShownStatement($0, of: "Keys of the page") } + fetched.statements
    }

    /// The objects with primary keys, in their order; those that are gone meanwhile are left out.
    private static func objects(
        _ keys: [Int64], of entity: String, in store: BrowsedStore, _ context: NSManagedObjectContext,
        _ times: inout StatementTimes
    ) throws -> [NSManagedObject] {
        guard
            let storedEntity = store.source.store.schema.entities.first(where: { $0.name == entity })?
                .storedEntity
        else {
            return []
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSComparisonPredicate(
            leftExpression: .expressionForEvaluatedObject(),
            rightExpression: NSExpression(
                forConstantValue: keys.map { NSManagedObjectID(storedEntity: storedEntity, reference: $0) }),
            modifier: .direct, type: .in)
        request.returnsObjectsAsFaults = false
        // What was deleted, but not saved, is shown as such.
        request.includesPendingChanges = false
        let found = Dictionary(
            try times.fetch(request, "Rows of the page", in: context).map {
                ($0.objectID.toolReference.key, $0)
            },
            uniquingKeysWith: { a, _ in a })
        return keys.compactMap { found[$0] }
    }
}

/// SQL that was executed, as a page shows it.
struct ShownStatement: Encodable, Sendable {
    /// What was read by it.
    let title: String
    let sql: String
    let plan: [String]
    let milliseconds: Double

    init(_ execution: FetchInspection.Execution, of title: String) {
        let times = execution.count == 1 ? "" : ", \(execution.count) times"
        self.init("\(title)\(times)", execution.statement, execution.plan, execution.seconds)
    }

    fileprivate init(_ title: String, _ sql: String, _ plan: [String], _ seconds: Double) {
        (self.title, self.sql, self.plan) = (title, sql, plan)
        milliseconds = (seconds * 1_000_000).rounded() / 1000
    }
}

/// The SQL of fetches of whole objects, with the time that each took until the objects were there.
struct StatementTimes: Sendable {
    private(set) var statements: [ShownStatement] = []

    /// Fetches objects, and notes how.
    ///
    /// - Throws: an error of the store.
    mutating func fetch(
        _ request: NSFetchRequest<NSManagedObject>, _ title: String, in context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        let start = ContinuousClock.now
        let objects = try context.fetch(request)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        statements += try context.explanations(of: request).map {
            ShownStatement(title, $0.statement, $0.plan, seconds)
        }
        return objects
    }
}
