import CoreData

// What the context and the store show, compared with the reference.

extension GraphWalk {
    /// How the reference's links are read from objects, by entity. Links of entities that inherit them have keys of their own.
    private struct LinkKey {
        let link: GraphReference.Link
        let one: ManagedKey<NSManagedObject?>
        let many: ManagedKey<Set<NSManagedObject>>
    }

    private static let keys = GraphReference.links.mapValues { links in
        links.map { LinkKey(link: $0, one: ManagedKey($0.name), many: ManagedKey($0.name)) }
    }

    /// Compares every value and every relationship of every object, without asking the store for what is loaded.
    func compareAll() throws {
        try compareSets()
        var ids: [ObjectIdentifier: Int] = [:]
        for (id, object) in objects { ids[ObjectIdentifier(object)] = id }
        for (id, wanted) in current.objects {
            guard let object = objects[id] else { throw Mismatch(description: "object \(id) is not found") }
            // Known objects need not be loaded for their number.
            try Self.compare(object, id, wanted) { ids[ObjectIdentifier($0)] ?? Self.uid($0) }
        }
    }

    private func compareSets() throws {
        func check(_ what: String, _ found: Set<NSManagedObject>, _ wanted: Set<NSManagedObject>) throws {
            guard found == wanted else {
                throw Mismatch(
                    description:
                        "\(what): \(found.map(Self.uid).sorted()) instead of \(wanted.map(Self.uid).sorted())"
                )
            }
        }
        var (inserted, deleted) = (Set<NSManagedObject>(), ghosts)
        for (id, object) in objects {
            switch (saved.objects[id], current.objects[id]) {
            case (nil, _?): inserted.insert(object)
            case (_?, nil): deleted.insert(object)
            case (let then?, let now?):
                try compareState(of: object, id, now != then && now.persistent != then.persistent)
            case (nil, nil): break
            }
        }
        try check("inserted", context.insertedObjects, inserted)
        try check("deleted", context.deletedObjects, deleted)
    }

    private func compareState(of object: NSManagedObject, _ id: Int, _ differs: Bool) throws {
        guard !object.isInserted, !object.isDeleted else {
            throw Mismatch(description: "\(id) is inserted or deleted")
        }
        let hasChanges = object.hasPersistentChangedValues
        guard hasChanges == differs || hasChanges && mayHaveEmptyChanges else {
            throw Mismatch(description: "\(id) has changes: \(hasChanges), \(object.changedValues())")
        }
        if differs, !object.isUpdated {
            throw Mismatch(description: "\(id) has changes and is not among the updated objects")
        }
    }

    /// - Parameter uid: the number of an object.
    private static func compare(
        _ object: NSManagedObject, _ id: Int, _ wanted: GraphReference.Object,
        uid: (NSManagedObject) -> Int = GraphWalk.uid
    ) throws {
        func check<Value: Equatable>(_ key: String, _ found: Value, _ wanted: Value) throws {
            guard found == wanted else {
                throw Mismatch(description: "\(id).\(key) is \(found) instead of \(wanted)")
            }
        }
        try check("uid", Self.uid(object), id)
        try check("name", object.value(forKey: "name") as? String, wanted.name)
        try check("number", object.value(forKey: "number") as? Int, wanted.number)
        try check("mark", object.value(forKey: "mark") as? String, wanted.mark)
        if wanted.entity == "Leaf" {
            try check("weight", object.value(forKey: "weight") as? Double, wanted.weight)
        }
        for key in keys[wanted.entity] ?? [] {
            let link = key.link
            if link.isOrdered {
                let found = (object.value(forKey: link.name) as? NSOrderedSet)?.array ?? []
                try check(
                    link.name, found.map { ($0 as? NSManagedObject).map(uid) ?? -1 },
                    wanted.toMany[link.name] ?? [])
            } else if link.isToMany {
                try check(link.name, object[key.many].map(uid).sorted(), wanted.toMany[link.name] ?? [])
            } else {
                try check(link.name, object[key.one].map(uid), wanted.toOne[link.name])
            }
        }
    }

    static func uid(_ object: NSManagedObject) -> Int { object.value(forKey: "uid") as? Int ?? -1 }

    /// Compares what a fetch finds.
    func compareFetches() throws {
        let matches = current.objects.filter { _, object in
            (object.entity == "Node" || object.entity == "Leaf")
                && (object.number < 3 || object.name?.hasPrefix("t") ?? false)
        }
        let order = matches.sorted { a, b in
            (a.value.name ?? "") != (b.value.name ?? "")
                ? (a.value.name ?? "") < (b.value.name ?? "") : a.key > b.key
        }
        let wanted = order.map(\.key)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
        request.predicate = matching
        request.sortDescriptors = [
            NSSortDescriptor(key: "name", ascending: true), NSSortDescriptor(key: "uid", ascending: false),
        ]
        let found = try context.fetch(request).map(Self.uid)
        guard found == wanted else { throw Mismatch(description: "fetched \(found) instead of \(wanted)") }
        let count = try context.count(for: request)
        guard count == wanted.count else {
            throw Mismatch(description: "counted \(count) instead of \(wanted.count)")
        }
    }

    /// Compares all that is in the store, read by a new context.
    func compareStore(in context: NSManagedObjectContext) throws {
        var seen: Set<Int> = []
        for entity in Graph.roots {
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                let id = Self.uid(object)
                guard var wanted = stored.objects[id] else {
                    throw Mismatch(description: "the store has an object \(id) too many")
                }
                wanted.mark = nil
                do {
                    try Self.compare(object, id, wanted)
                } catch let mismatch as Mismatch {
                    throw Mismatch(description: "stored: \(mismatch.description)")
                }
                seen.insert(id)
            }
        }
        guard seen == Set(stored.objects.keys) else {
            throw Mismatch(description: "the store lacks \(Set(stored.objects.keys).subtracting(seen))")
        }
    }

    func compareUndoState() throws {
        guard context.undoManager?.canUndo == !undoable.isEmpty,
            context.undoManager?.canRedo == !redoable.isEmpty
        else {
            throw Mismatch(
                description:
                    "can undo: \(undoable.count), can redo: \(redoable.count); the manager says else")
        }
    }
}
