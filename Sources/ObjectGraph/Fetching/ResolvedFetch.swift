import CocoaFoundation
import Foundation
import ManagedObjectModel

/// A fetch request with its entity, stores and properties found and its parts checked.
package struct ResolvedFetch {
    private(set) var specification: FetchSpecification
    let entity: NSEntityDescription
    package private(set) var stores: [any ObjectStore]
    private(set) var sortDescriptors: [NSSortDescriptor]
    /// The order for objects in memory, the same as in a store.
    private(set) var storeOrder: [NSSortDescriptor]
    /// Whether only a part of the result is requested, so that the order matters.
    let isWindow: Bool
    private var reader: WeakContext
    private var context: NSManagedObjectContext? { reader.context }
    private var properties: [NSPropertyDescription]
    private var groupBy: [NSPropertyDescription]

    /// - Throws: 134060 with what is wrong with the request.
    package init(_ request: NSPersistentStoreRequest, _ context: NSManagedObjectContext) throws {
        context.assertOnQueue()
        guard var specification = request.fetchSpecification else {
            throw NSError.coreData(
                .persistentStoreUnsupportedRequestType, "The request is not a fetch request.")
        }
        guard let coordinator = context.persistentStoreCoordinator else {
            throw NSError.coreData(
                .coreData, "The context has no persistent store coordinator to fetch from.")
        }
        let entity = try Self.entity(specification, coordinator.managedObjectModel)
        request.resolveEntity(entity)
        // A request for objects of a class shows which class the entity's name means.
        let layout = EntityLayout.layout(of: entity)
        if !layout.isClassCertain, let type = specification.resultClass as? NSManagedObject.Type {
            layout.adopt(type)
        }
        // Only what differs is set, which takes a copy.
        if let given = specification.predicate {
            let predicate = try Self.resolvingFetches(given).namingPermanently(context.identities)
            if predicate !== given { specification.predicate = predicate }
        }
        if let given = specification.havingPredicate {
            let predicate = try Self.resolvingFetches(given).namingPermanently(context.identities)
            if predicate !== given { specification.havingPredicate = predicate }
        }
        let sortDescriptors = (specification.sortDescriptors ?? []).map(\.named)
        let storeOrder = sortDescriptors.map(\.ofStore)
        let affected = request.affectedStores
        try context.pinGeneration()
        func isRead(_ store: any ObjectStore) -> Bool {
            context.reads(store) && affected.map { $0.contains { $0 === store } } ?? true
        }
        let all = coordinator.stores(for: entity)
        let stores = all.allSatisfy(isRead) ? all : all.filter(isRead)
        let properties = try Self.properties(specification.propertiesToFetch, entity)
        let groupBy = try Self.properties(specification.propertiesToGroupBy, entity)
        try Self.check(specification, properties, groupBy: groupBy)
        // All properties are set at the end: the compiler copies those that an error after them would have to undo.
        reader = WeakContext(context)
        isWindow = specification.fetchLimit > 0 || specification.fetchOffset > 0
        self.entity = entity
        self.stores = stores
        self.specification = specification
        self.sortDescriptors = sortDescriptors
        self.storeOrder = storeOrder
        self.properties = properties
        self.groupBy = groupBy
    }

    /// The predicate with the results of its fetch expressions, each fetched once. A dictionary with one value stands for
    /// that.
    ///
    /// - Throws: 134060 for a predicate that is nested too deep.
    private static func resolvingFetches(_ predicate: NSPredicate) throws -> NSPredicate {
        var hasFetches = false
        guard predicate.visitExpressions({ if $0 is NSFetchRequestExpression { hasFetches = true } }) else {
            throw NSError.coreData(
                .coreData, "The predicate is nested deeper than \(NSPredicate.depthLimit) levels.")
        }
        guard hasFetches else { return predicate }
        return try predicate.replacing { expression, _ in
            guard let fetch = expression as? NSFetchRequestExpression else { return nil }
            do {
                let result = try fetch.value(with: nil, context: nil)
                let rows = (result as? [Any])?.map { row in
                    (row as? NSDictionary).flatMap { $0.count == 1 ? $0.allValues.first : nil } ?? row
                }
                return NSExpression(forConstantValue: rows ?? result)
            } catch let error as PredicateEvaluationError {
                throw NSError.coreData(
                    .coreData, "The predicate \(predicate.formatString) cannot be evaluated: \(error)")
            }
        }
    }

    private static func entity(
        _ specification: FetchSpecification, _ model: NSManagedObjectModel
    ) throws -> NSEntityDescription {
        if let entity = specification.entity {
            if entity.model === model { return entity }
            // A request made for another copy of the model means the entity of the same name.
            if model.entities.contains(where: { $0 === entity }) { return entity }
            if let name = entity.name, let own = model.entitiesByName[name] { return own }
        }
        guard let name = specification.entityName else {
            throw NSError.coreData(.coreData, "A fetch request must have an entity.")
        }
        guard let entity = model.entitiesByName[name] else {
            throw NSError.coreData(
                .coreData, "NSFetchRequest could not locate an NSEntityDescription for entity name '\(name)'."
            )
        }
        return entity
    }

    private static func properties(
        _ list: [Any]?, _ entity: NSEntityDescription
    ) throws -> [NSPropertyDescription] {
        try (list ?? []).map { item in
            switch item {
            case let property as NSExpressionDescription where property.expression != nil: return property
            case let property as NSExpressionDescription where property.name.isEmpty:
                throw NSError.coreData(
                    .coreData, "An expression description in propertiesToFetch has no expression and no name."
                )
            // Without an expression a description means the property of its name.
            case let property as NSPropertyDescription: return try self.property(property.name, entity)
            case let name as String: return try self.property(name, entity)
            default:
                throw NSError.coreData(.coreData, "\(item) is neither a property nor a name of one.")
            }
        }
    }

    /// The property of a name, or a column for what a key path leads to.
    private static func property(
        _ name: String, _ entity: NSEntityDescription
    ) throws -> NSPropertyDescription {
        if let property = entity.propertiesByName[name] { return property }
        if let path = entity.expressionDescription(forKeyPath: name) { return path }
        throw NSError.coreData(.coreData, "keypath \(name) not found in entity \(entity.name ?? "")")
    }

    private static func check(
        _ specification: FetchSpecification, _ properties: [NSPropertyDescription],
        groupBy: [NSPropertyDescription]
    ) throws {
        func refuse(_ sentence: String) throws -> Never { throw NSError.coreData(.coreData, sentence) }
        let isDictionary = specification.resultType == .dictionaryResultType
        if !groupBy.isEmpty, !isDictionary {
            try refuse("propertiesToGroupBy needs the result type dictionaryResultType.")
        }
        if specification.havingPredicate != nil, groupBy.isEmpty {
            try refuse("havingPredicate needs propertiesToGroupBy.")
        }
        for property in properties where (property as? NSRelationshipDescription)?.isToMany ?? false {
            try refuse("Invalid to-many relationship in propertiesToFetch: \(property.name).")
        }
        if specification.fetchBatchSize < 0 { try refuse("fetchBatchSize cannot be negative.") }
        if specification.resultType == .managedObjectResultType,
            let computed = properties.first(where: { $0 is NSExpressionDescription })
        {
            try refuse(
                "propertiesToFetch of a request for objects must be properties of the entity; '\(computed.name)' is computed, which needs the result type dictionaryResultType."
            )
        }
        if specification.fetchLimit < 0 || specification.fetchOffset < 0 {
            try refuse("fetchLimit and fetchOffset cannot be negative.")
        }
    }

    /// The request as the parent of the context executes it for the context: its unsaved changes count.
    ///
    /// - Parameter dirtyCount: how many objects of the parent's result may have to be left out; nil when the result is taken
    ///   as it is.
    /// - Throws: an error of a store that cannot pin the generation that the parent reads.
    func inParent(_ parent: NSManagedObjectContext, widenedBy dirtyCount: Int?) throws -> ResolvedFetch {
        try parent.pinGeneration()
        var fetch = self
        fetch.stores = stores.filter(parent.reads)
        fetch.specification.answer = nil
        fetch.reader = WeakContext(parent)
        fetch.specification.includesPendingChanges = true
        fetch.specification.returnsObjectsAsFaults = true
        fetch.specification.relationshipKeyPathsForPrefetching = nil
        // Complete rows are requested, or only identities.
        fetch.specification.fetchBatchSize = batchSize
        if specification.resultType != .dictionaryResultType {
            fetch.specification.propertiesToFetch = nil
            fetch.properties = []
        }
        return dirtyCount.map(fetch.widened) ?? fetch
    }

    /// The request for as many objects as the window may need once unsaved changes are merged.
    func widened(by dirtyCount: Int) -> ResolvedFetch {
        var fetch = self
        if specification.fetchLimit > 0 {
            let (rows, isTooMany) = specification.fetchLimit.addingReportingOverflow(dirtyCount)
            let (limit, isBeyond) = rows.addingReportingOverflow(specification.fetchOffset)
            fetch.specification.fetchLimit = isTooMany || isBeyond ? .max : limit
        }
        fetch.specification.fetchOffset = 0
        return fetch
    }

    /// The request for the keys of all objects that meet a condition, limits and order left out.
    func reaching(_ condition: NSPredicate) -> ResolvedFetch {
        var fetch = unlimited
        fetch.specification.answer = nil
        fetch.specification.predicate = condition
        fetch.specification.fetchBatchSize = 0
        fetch.sortDescriptors = []
        fetch.storeOrder = []
        return fetch
    }

    /// The number of objects whose rows are read together when one of them is used; 0 when the fetch reads all.
    var batchSize: Int {
        guard specification.resultType == .managedObjectResultType, isLeavingFaults, !isMergingStores else {
            return 0
        }
        return specification.fetchBatchSize
    }

    /// Whether the objects are requested as faults whose values come from the store.
    private var isLeavingFaults: Bool {
        specification.includesPropertyValues && specification.returnsObjectsAsFaults
            && !specification.shouldRefreshRefetchedObjects
    }

    /// Whether objects of several stores have to be compared.
    private var isMergingStores: Bool { stores.count > 1 && !storeOrder.isEmpty }

    /// The slots of the requested properties of objects; nil for whole objects.
    var partialSlots: PropertySet? {
        guard specification.resultType == .managedObjectResultType, isLeavingFaults, batchSize == 0,
            !properties.isEmpty
        else { return nil }
        let layout = EntityLayout.layout(of: entity)
        var slots = PropertySet()
        for property in properties {
            if let slot = layout.index(of: property.name), layout.slots[slot].isStored { slots.insert(slot) }
        }
        return slots
    }

    /// The relationships to load along with the objects.
    var prefetching: RelationshipPaths {
        RelationshipPaths(
            entity: entity, keyPaths: specification.relationshipKeyPathsForPrefetching ?? [])
    }

    /// The columns of a dictionary result, and those by which its rows are grouped.
    var columns: (properties: [NSPropertyDescription], groupBy: [NSPropertyDescription]) {
        let standard = entity.allProperties.filter {
            !$0.isTransient && !($0 is NSFetchedPropertyDescription)
                && !(($0 as? NSRelationshipDescription)?.isToMany ?? false)
        }
        return (properties.isEmpty ? standard : properties, groupBy)
    }

    /// The request for all objects that dictionaries are made of, without an order.
    var forMatches: ResolvedFetch {
        var fetch = unlimited
        fetch.specification.answer = nil
        fetch.specification.resultType = .managedObjectResultType
        fetch.specification.propertiesToFetch = nil
        fetch.specification.propertiesToGroupBy = nil
        fetch.specification.havingPredicate = nil
        fetch.specification.returnsDistinctResults = false
        fetch.specification.fetchBatchSize = 0
        fetch.properties = []
        fetch.groupBy = []
        fetch.sortDescriptors = []
        fetch.storeOrder = []
        return fetch
    }

    /// The request for the objects, among some, that meet the condition.
    func among(_ ids: [NSManagedObjectID]) -> ResolvedFetch {
        var fetch = self
        let isMember = NSComparisonPredicate(
            leftExpression: NSExpression.expressionForEvaluatedObject(),
            rightExpression: NSExpression(forConstantValue: ids), modifier: .direct, type: .in)
        fetch.specification.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: [isMember] + (specification.predicate.map { [$0] } ?? []))
        return fetch
    }

    /// The request for what the stores hold.
    var withoutPendingChanges: ResolvedFetch {
        var fetch = self
        fetch.specification.includesPendingChanges = false
        return fetch
    }

    /// The request without limits.
    var unlimited: ResolvedFetch {
        var fetch = self
        fetch.specification.fetchLimit = 0
        fetch.specification.fetchOffset = 0
        return fetch
    }

    /// The request as one store executes it.
    package func query(_ store: any ObjectStore) -> FetchQuery {
        // `stores` has only stores that hold the entity.
        guard let storedEntity = store.storedEntity(of: entity) else {
            fatalError("The store no longer has the entity of the request.")
        }
        var query = FetchQuery(storedEntity: storedEntity)
        fill(&query, store)
        return query
    }

    /// Puts what the request says into a query. Not a part of `query(_:)`: the compiler would copy the query there when it is returned,
    /// with all of its references.
    @inline(never)
    private func fill(_ query: inout FetchQuery, _ store: any ObjectStore) {
        query.includesSubentities = specification.includesSubentities
        // Once: a weak reference is read.
        let context = context
        // Objects in a child's condition may have been saved since the child's request.
        func naming(_ predicate: NSPredicate?) -> NSPredicate? {
            guard let context else { return predicate }
            return predicate?.namingPermanently(context.identities)
        }
        query.predicate = naming(specification.predicate)?.searching(store, query.storedEntity)
        query.sortDescriptors = sortDescriptors
        query.limit = specification.fetchLimit
        query.offset = specification.fetchOffset
        query.having = naming(specification.havingPredicate)
        // Objects and IDs are distinct anyway.
        query.isDistinct =
            specification.returnsDistinctResults && specification.resultType == .dictionaryResultType
        query.resultType = specification.resultType
        query.reader = StoreReader(client: context, generation: context?.generation(of: store))
        query.specification = specification
        query.useSubstringIndex(of: store)
        // Only dictionaries need the columns that are fetched where none is named.
        if specification.resultType == .dictionaryResultType || specification.propertiesToFetch != nil {
            query.properties = columns.properties
        }
        query.groupBy = groupBy
    }

    /// Whether the stores return objects in the order of their keys for a request without an order: a client's own store
    /// decides that itself.
    var isInKeyOrder: Bool { stores.allSatisfy(\.fetchesRows) }

    /// The relationships that the condition and the order read.
    var relatedPaths: RelatedPaths { RelatedPaths(entity, specification.predicate, sortDescriptors) }

    /// Whether an object is of the fetched entity, and of a queried store.
    func concerns(_ object: NSManagedObject) -> Bool {
        let isNew = object.storedEntity.isTemporary
        let store = isNew ? object.context?.destinedStore(of: object) : object.storedEntity.store
        // A new object that no store takes is found until a save refuses it.
        let isAffected =
            store == nil ? isNew && !stores.isEmpty : stores.contains { $0 === store }
        guard isAffected else { return false }
        return specification.includesSubentities
            ? object.entity.isKindOf(entity: entity) : object.entity === entity
    }

    /// Whether an object, as it is in the context, is one that the fetch would find after a save.
    ///
    /// - Throws: 134060 for a condition that cannot be evaluated.
    func isMet(by object: NSManagedObject, in context: NSManagedObjectContext) throws -> Bool {
        guard object.context === context, !object.isDeleted, concerns(object) else { return false }
        // A fault without a row any more is a deleted object from here on.
        object.fireFault()
        guard !object.isDeleted else { return false }
        guard let predicate = specification.predicate else { return true }
        do {
            return try predicate.isMetInStore(by: object)
        } catch {
            throw NSError.coreData(
                .coreData, "The predicate \(predicate.formatString) cannot be evaluated: \(error)")
        }
    }

    /// Refuses dictionaries that cannot be merged from those of several stores.
    func checkDictionariesOfStores() throws {
        func refuse(_ what: String) -> NSError {
            .coreData(
                .coreData,
                "The entity '\(entity.name ?? "")' is in several stores, so \(what); name one store in affectedStores."
            )
        }
        if !groupBy.isEmpty { throw refuse("its rows cannot be grouped") }
        for case let property as NSExpressionDescription in properties {
            if property.expression.map({ GroupAggregates.areIn($0, entity) }) ?? false {
                throw refuse("'\(property.name)' cannot be computed over all rows")
            }
        }
        let names = Set(properties.map(\.name))
        for descriptor in sortDescriptors where !properties.isEmpty && !names.contains(descriptor.key ?? "") {
            throw refuse("it can be sorted by its columns only, not by '\(descriptor.key ?? "")'")
        }
    }

    /// The part of a complete result that limit and offset leave.
    func window<Element>(_ objects: [Element]) -> [Element] { Array(objects[window(objects.indices)]) }

    /// The indexes of a complete result that limit and offset leave.
    func window(_ indexes: Range<Int>) -> Range<Int> {
        let rest = indexes.dropFirst(specification.fetchOffset)
        return specification.fetchLimit > 0 ? rest.prefix(specification.fetchLimit) : rest
    }
}

/// The context of a fetch, which does not keep it. Behind one reference: a fetch is copied often, and copying a weak reference takes
/// longer than all else of it.
private final class WeakContext {
    private(set) weak var context: NSManagedObjectContext?

    init(_ context: NSManagedObjectContext) { self.context = context }
}

extension NSEntityDescription {
    /// A column named as a to-one key path, for the attribute at its end, or for the ID of the object there: `owner.name`,
    /// `owner.objectID`, `objectID`, `self`.
    func expressionDescription(forKeyPath path: String) -> NSExpressionDescription? {
        var entity = self
        var type: NSAttributeType?
        for key in path.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
            // A value has no keys.
            guard type == nil || type == .objectIDAttributeType else { return nil }
            if let attribute = entity.attributesByName[key] {
                type = attribute.attributeType
            } else if let relationship = entity.relationshipsByName[key], !relationship.isToMany,
                let next = relationship.destinationEntity
            {
                entity = next
                type = .objectIDAttributeType
            } else if ["objectID", "self", "SELF"].contains(key) {
                type = .objectIDAttributeType
            } else {
                return nil
            }
        }
        guard let type else { return nil }
        let description = NSExpressionDescription()
        description.name = path
        description.expression = NSExpression(forKeyPath: path)
        description.expressionResultType = type
        return description
    }
}
