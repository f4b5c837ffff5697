import CoreData
import Foundation
import Testing

/// A walk of random edits through a context over a store, or over parents of it, beside a `GraphReference` that makes the
/// same ones.
final class GraphWalk {
    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    private let kind: StoreKind
    private var stack: TestStack
    /// The contexts from the one that works on the coordinator to the one that is edited.
    private var chain: [NSManagedObjectContext]
    private var context: NSManagedObjectContext { chain[chain.count - 1] }
    private var random: SeededGenerator
    /// What the context has to show, what it has saved, and what the store has to hold.
    private var current = GraphReference()
    private var saved = GraphReference()
    private var stored = GraphReference()
    private var undoable: [GraphReference] = []
    private var redoable: [GraphReference] = []
    private var objects: [Int: NSManagedObject] = [:]
    private var lastID = 0
    private var log: [String] = []
    private let objectLimit = 24
    private let comparesAll: Bool

    /// - Parameters:
    ///   - depth: how many parents are between the context and the coordinator.
    ///   - comparesAll: whether everything is compared after each step. That loads all relationships; without, most of them
    ///     stay as they are for some steps.
    init(seed: UInt64, depth: Int = 0, kind: StoreKind = .sqlite, comparesAll: Bool = false) throws {
        random = SeededGenerator(seed: seed)
        self.comparesAll = comparesAll
        self.kind = kind
        stack = try TestStack(Graph.model(), type: kind.type)
        chain = [stack.context()]
        for _ in 0..<depth { addChild() }
        context.performAndWait { context.undoManager = UndoManager() }
    }

    private func addChild() {
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = context
        chain.append(child)
    }

    /// Takes steps, and compares after each.
    func run(steps: Int) throws {
        for step in 1...steps {
            log.append("\(step)")
            do {
                try takeStep()
                try context.performAndWait { try compare(everything: random.oneIn(6) || comparesAll) }
                try compareUndoState()
            } catch {
                throw Mismatch(
                    description: "step \(step): \(error)\n"
                        + log.suffix(Int(ProcessInfo.processInfo.environment["GRAPH_LOG"] ?? "") ?? 40)
                        .joined(separator: "\n"))
            }
        }
    }

    private func takeStep() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<64: edit()
        case 64: editInGroup()
        case 65: try deleteWhatIsDenied()
        case 66, 67: try mergeFromAnother()
        case 68..<80: undo()
        case 80..<88: redo()
        case 88..<93: try save()
        case 93: rollBack()
        case 94: refreshAll()
        case 95..<97: refreshSome()
        case 97: try processTwice()
        case 98: try reopen(withFile: kind.isLasting && random.oneIn(2))
        default: forgetFaults()
        }
    }

    // MARK: Edits

    /// One event with one edit or a few.
    private func edit() {
        let before = current.normalised
        let count = random.oneIn(3) ? Int.random(in: 2...5, using: &random) : 1
        context.performAndWait {
            for _ in 0..<count { editOnce() }
        }
        // What ends as it began leaves nothing to undo.
        guard before != current.normalised else { return }
        undoable.append(before)
        redoable = []
    }

    /// Several events that are undone at once.
    private func editInGroup() {
        let before = current.normalised
        var hasChanged = false
        log.append("begin a group")
        context.performAndWait { context.undoManager?.beginUndoGrouping() }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let before = current.normalised
            context.performAndWait { editOnce() }
            hasChanged = hasChanged || before != current.normalised
        }
        log.append("end the group")
        context.performAndWait { context.undoManager?.endUndoGrouping() }
        // An empty group can be undone, but not redone.
        guard hasChanged else { return forgetUndo() }
        undoable.append(before)
        redoable = []
    }

    private func editOnce() {
        let ids = current.objects.keys.sorted()
        guard let id = ids.randomElement(using: &random), ids.count > 3 else {
            insert()
            return
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: if ids.count < objectLimit { insert() } else { delete(id) }
        case 3..<5: delete(id)
        case 5..<9: setAttribute(id)
        case 9..<13: editToOne(id)
        default: editToMany(id)
        }
    }

    private func insert() {
        lastID += 1
        let entity =
            ["Node", "Node", "Node", "Leaf", "Tag", "Tag", "Badge", "Step", "Guard"]
            .randomElement(using: &random) ?? "Node"
        log.append("insert \(entity) \(lastID)")
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(lastID, forKey: "uid")
        object.setValue("n\(lastID)", forKey: "name")
        objects[lastID] = object
        current.objects[lastID] = .init(entity: entity, name: "n\(lastID)")
    }

    private func delete(_ id: Int) {
        let gone = current.deleted(with: [id])
        guard !current.isDenied(gone) else { return }
        log.append("delete \(id) (\(gone.sorted()))")
        // Relationships without inverse are the program's own affair.
        for (other, object) in current.objects.sorted(by: { $0.key < $1.key }) {
            if let favourite = object.toOne["favourite"], gone.contains(favourite) {
                objects[other]?.setValue(nil, forKey: "favourite")
            }
            for bookmark in object.toMany["bookmarks"] ?? [] where gone.contains(bookmark) {
                objects[other].map {
                    $0.mutableSetValue(forKey: "bookmarks").remove(objects[bookmark] as Any)
                }
            }
        }
        if let object = objects[id] { context.delete(object) }
        // Until the event ends only this object is marked; edits that follow must not touch what goes with it.
        context.processPendingChanges()
        current.delete(gone)
    }

    private func setAttribute(_ id: Int) {
        let key = ["name", "number", "mark", "weight"].randomElement(using: &random) ?? "name"
        let number = Int.random(in: 0..<6, using: &random)
        let text = number == 0 ? nil : "t\(number)"
        guard key != "weight" || current.objects[id]?.entity == "Leaf" else { return }
        log.append("set \(id).\(key) = \(number)")
        switch key {
        case "name": current.objects[id]?.name = text
        case "number": current.objects[id]?.number = number
        case "mark": current.objects[id]?.mark = text
        default: current.objects[id]?.weight = Double(number)
        }
        let values: [String: Any?] = ["number": number, "weight": Double(number)]
        objects[id]?.setValue(values[key] ?? text, forKey: key)
    }

    private func randomLink(_ id: Int, toMany: Bool) -> (GraphReference.Link, Int)? {
        let all = GraphReference.links[current.objects[id]?.entity ?? ""] ?? []
        guard let link = all.filter({ $0.isToMany == toMany }).randomElement(using: &random),
            let destination = candidates(id, link).randomElement(using: &random)
        else { return nil }
        return (link, destination)
    }

    /// The objects that a relationship may be led to. Without inverse, the store keeps the owner with each
    /// destination, so that it can have one owner only.
    private func candidates(_ id: Int, _ link: GraphReference.Link) -> [Int] {
        let all = current.candidates(link)
        guard link.inverse == nil, link.isToMany else { return all }
        let taken = current.objects.filter { $0.key != id }.flatMap { $1.toMany[link.name] ?? [] }
        return all.filter { !taken.contains($0) }
    }

    private func editToOne(_ id: Int) {
        guard let (link, destination) = randomLink(id, toMany: false) else { return }
        let target = random.oneIn(4) ? nil : destination
        log.append("set \(id).\(link.name) = \(target.map(String.init) ?? "nil")")
        current.setToOne(id, link.name, target)
        objects[id]?.setValue(target.flatMap { objects[$0] }, forKey: link.name)
    }

    private func editToMany(_ id: Int) {
        guard let (link, destination) = randomLink(id, toMany: true), let object = objects[id],
            let target = objects[destination]
        else { return }
        let members = current.members(id, link.name)
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
            guard !members.contains(destination) else { return }
            let index =
                link.isOrdered && random.oneIn(2) ? members.indices.randomElement(using: &random) : nil
            log.append("add \(destination) to \(id).\(link.name) at \(index.map(String.init) ?? "end")")
            current.add(id, link.name, destination, at: index)
            if !link.isOrdered {
                object.mutableSetValue(forKey: link.name).add(target)
            } else if let index {
                object.mutableOrderedSetValue(forKey: link.name).insert(target, at: index)
            } else {
                object.mutableOrderedSetValue(forKey: link.name).add(target)
            }
        case 2:
            guard let member = members.randomElement(using: &random), let target = objects[member] else {
                return
            }
            log.append("remove \(member) from \(id).\(link.name)")
            current.remove(id, link.name, member)
            if link.isOrdered {
                object.mutableOrderedSetValue(forKey: link.name).remove(target)
            } else {
                object.mutableSetValue(forKey: link.name).remove(target)
            }
        case 3 where link.isOrdered && members.count > 1:
            let shuffled = members.shuffled(using: &random)
            log.append("reorder \(id).\(link.name) to \(shuffled)")
            current.set(id, link.name, shuffled)
            object.setValue(NSOrderedSet(array: shuffled.compactMap { objects[$0] }), forKey: link.name)
        default:
            let wanted = candidates(id, link).shuffled(using: &random).prefix(
                Int.random(in: 0...4, using: &random))
            log.append("set \(id).\(link.name) = \(wanted)")
            current.set(id, link.name, Array(wanted))
            let list = wanted.compactMap { objects[$0] }
            object.setValue(
                link.isOrdered ? NSOrderedSet(array: list) as Any : NSSet(array: list) as Any,
                forKey: link.name)
        }
    }

    // MARK: Others

    /// A deletion that a rule forbids: the save fails and leaves everything as it was, and the deletion is taken back.
    private func deleteWhatIsDenied() throws {
        // An object that was never saved just leaves.
        let tags = current.objects.filter {
            $1.entity == "Tag" && saved.objects[$0] != nil && current.isDenied([$0])
        }.keys.sorted()
        guard let id = tags.randomElement(using: &random), let tag = objects[id] else { return }
        log.append("delete \(id), which is denied")
        try context.performAndWait {
            context.delete(tag)
            context.processPendingChanges()
            do {
                try context.save()
                throw Mismatch(description: "a denied deletion of \(id) was saved")
            } catch let error as CocoaError where error.code == .validationRelationshipDeniedDelete {
                guard error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === tag else {
                    throw Mismatch(description: "the error names another object than \(id)")
                }
            }
            guard tag.isDeleted, context.deletedObjects.contains(tag) else {
                throw Mismatch(description: "the failed save has changed \(id)")
            }
            context.undo()
        }
        forgetUndo()
    }

    /// Another context on the same store edits and saves, and this one merges that.
    ///
    /// With changes of its own, it gets new values of attributes of other objects; without, changes of all kinds.
    private func mergeFromAnother() throws {
        guard chain.count == 1, !stored.objects.isEmpty else { return }
        let isClean = current.isStored(as: saved)
        log.append("another context\(isClean ? "" : ", attributes only")")
        forgetUndo()
        let (ours, ourObjects, ourCurrent) = (chain, objects, current)
        (chain, objects, current) = ([stack.context()], [:], stored)
        for id in current.objects.keys { current.objects[id]?.mark = nil }
        findAgain()
        let notification = NotificationLog(
            random.oneIn(2) ? .NSManagedObjectContextDidSave : .NSManagedObjectContextDidSaveObjectIDs,
            from: context)
        let untouched = ourCurrent.objects.keys.sorted().filter {
            ourCurrent.objects[$0]?.persistent == saved.objects[$0]?.persistent
        }
        let edits = Int.random(in: 1...4, using: &random)
        let other = context
        try other.performAndWait {
            for _ in 0..<edits {
                if isClean { editOnce() } else { untouched.randomElement(using: &random).map(setAttribute) }
            }
            try other.save()
        }
        let theirs = current
        (chain, objects, current) = (ours, ourObjects, ourCurrent)
        guard let saving = notification.all.last else { return }
        log.append("merge")
        try context.performAndWait {
            context.mergeChanges(fromContextDidSave: saving)
            try takeOver(theirs)
        }
    }

    /// What another context has saved is here too.
    private func takeOver(_ theirs: GraphReference) throws {
        let gone = Set(stored.objects.keys).subtracting(theirs.objects.keys)
        for (id, object) in theirs.objects
        where object.persistent != stored.objects[id]?.persistent || current.objects[id] == nil {
            guard stored.objects[id] == nil || current.objects[id] != nil else { continue }
            current.objects[id] = object
        }
        (stored, saved) = (theirs, theirs)
        guard gone.isEmpty else {
            for id in gone {
                current.objects[id] = nil
                guard let object = objects[id] else { continue }
                guard object.isDeleted, context.deletedObjects.contains(object) else {
                    throw Mismatch(description: "\(id) was deleted elsewhere, and is not here")
                }
            }
            // A save has nothing to write for what is gone already, and lets go of it.
            try context.save()
            guard context.deletedObjects.isEmpty, !context.hasChanges else {
                throw Mismatch(description: "deletions of another context stay after a save")
            }
            forgetTheGone()
            return takeMarks()
        }
        takeMarks()
    }

    /// What becomes of values that are not stored is not promised; they are what the objects say.
    private func takeMarks() {
        findAgain()
        for id in current.objects.keys {
            current.objects[id]?.mark = objects[id]?.value(forKey: "mark") as? String
        }
    }

    // MARK: The context as a whole

    private func undo() {
        log.append("undo (\(undoable.count))")
        context.performAndWait { context.undo() }
        guard let before = undoable.popLast() else { return }
        redoable.append(current)
        current = before
    }

    private func redo() {
        log.append("redo (\(redoable.count))")
        context.performAndWait { context.redo() }
        guard let after = redoable.popLast() else { return }
        undoable.append(current)
        current = after
    }

    private func save() throws {
        log.append("save")
        try context.performAndWait { try context.save() }
        saved = current
        if chain.count == 1 || random.oneIn(2) { try saveParents() }
    }

    /// Saves what the context has saved in all contexts above it, so that the store has it.
    private func saveParents() throws {
        for parent in chain.dropLast().reversed() {
            log.append("save a parent")
            try parent.performAndWait { try parent.save() }
        }
        stored = saved
        try stack.inContext { try self.compareStore(in: $0) }
    }

    private func rollBack() {
        log.append("rollback")
        context.performAndWait {
            context.rollback()
            let marks = current.objects.mapValues(\.mark)
            current = saved
            undoable = []
            redoable = []
            // What becomes of values that are not stored is not promised; they are what the object says.
            for id in current.objects.keys {
                current.objects[id]?.mark = marks[id] ?? nil
                guard let mark = objects[id]?.value(forKey: "mark") as? String? else { continue }
                current.objects[id]?.mark = mark
            }
        }
        forgetTheGone()
    }

    private func refreshAll() {
        log.append("refresh all")
        forgetUndo()
        context.performAndWait { context.refreshAllObjects() }
        for id in current.objects.keys where objects[id]?.isInserted == false {
            current.objects[id]?.mark = nil
        }
    }

    private func refreshSome() {
        forgetUndo()
        context.performAndWait {
            for (id, object) in objects.sorted(by: { $0.key < $1.key })
            where current.objects[id] != nil && random.oneIn(3) {
                if object.hasChanges {
                    log.append("refresh \(id), keeping changes")
                    context.refresh(object, mergeChanges: true)
                } else if !object.isInserted {
                    log.append("refresh \(id)")
                    context.refresh(object, mergeChanges: false)
                    current.objects[id]?.mark = nil
                }
            }
        }
    }

    private func processTwice() throws {
        context.performAndWait {
            context.processPendingChanges()
            context.processPendingChanges()
        }
    }

    private func forgetUndo() {
        context.performAndWait { context.undoManager?.removeAllActions() }
        undoable = []
        redoable = []
        forgetTheGone()
    }

    /// Drops the references to objects that nothing can bring back.
    private func forgetTheGone() {
        objects = objects.filter { current.objects[$0.key] != nil || saved.objects[$0.key] != nil }
    }

    /// Lets go of all objects, so that those without changes are released, and finds them again.
    private func forgetFaults() {
        log.append("release")
        forgetUndo()
        for id in current.objects.keys where !(objects[id]?.hasChanges ?? false) {
            current.objects[id]?.mark = nil
        }
        context.performAndWait {
            context.refreshAllObjects()
            for id in current.objects.keys where objects[id]?.isInserted == false {
                current.objects[id]?.mark = nil
            }
            objects = [:]
        }
        findAgain()
    }

    /// Saves or not, and begins anew with a fresh context, or a fresh stack on the same file.
    private func reopen(withFile: Bool) throws {
        log.append(withFile ? "reopen the file" : "new context")
        objects = [:]
        undoable = []
        redoable = []
        current = withFile || chain.count == 1 ? stored : saved
        for id in current.objects.keys { current.objects[id]?.mark = nil }
        saved = current
        if withFile { stack = try stack.reopened(Graph.model()) }
        if withFile || chain.count == 1 {
            let depth = chain.count - 1
            chain = [stack.context()]
            for _ in 0..<depth { addChild() }
        } else {
            chain.removeLast()
            addChild()
        }
        context.performAndWait { context.undoManager = UndoManager() }
        findAgain()
    }

    private func findAgain() {
        context.performAndWait {
            for entity in Graph.roots {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                for object in ((try? context.fetch(request)) ?? []) + Array(context.deletedObjects) {
                    if let id = object.value(forKey: "uid") as? Int { objects[id] = object }
                }
            }
        }
    }

    // MARK: Comparing

    /// Compares what is in memory, as it is, or everything, which loads it.
    private func compare(everything: Bool) throws {
        try compareSets()
        let ids = Dictionary(uniqueKeysWithValues: objects.map { (ObjectIdentifier($1), $0) })
        for (id, wanted) in current.objects.sorted(by: { $0.key < $1.key }) {
            guard let object = objects[id] else { throw Mismatch(description: "object \(id) is not found") }
            guard everything || random.oneIn(4) || !object.isFault else { continue }
            try Self.compare(object, id, wanted, saved.objects[id]) { link in
                everything || !link.isToMany || !object.hasFault(forRelationshipNamed: link.name)
            } uid: { destination in
                // Known objects need not be loaded for their number.
                (destination as? NSManagedObject).flatMap { ids[ObjectIdentifier($0)] }
                    ?? Self.uid(destination)
            }
        }
        if everything { try compareFetches() }
    }

    private func compareSets() throws {
        func check(_ what: String, _ found: Set<NSManagedObject>, _ wanted: Set<Int>) throws {
            let ids = Set(found.compactMap { object in objects.first { $0.value === object }?.key })
            guard ids == wanted, found.count == wanted.count else {
                throw Mismatch(description: "\(what): \(ids.sorted()) instead of \(wanted.sorted())")
            }
        }
        let now = Set(current.objects.keys)
        let then = Set(saved.objects.keys)
        try check("inserted", context.insertedObjects, now.subtracting(then))
        try check("deleted", context.deletedObjects, then.subtracting(now))
        for id in now.intersection(then) {
            guard let object = objects[id] else { continue }
            guard !object.isInserted, !object.isDeleted else {
                throw Mismatch(description: "\(id) is inserted or deleted")
            }
            let differs = current.objects[id].map(\.persistent) != saved.objects[id].map(\.persistent)
            guard object.hasPersistentChangedValues == differs else {
                throw Mismatch(
                    description:
                        "\(id) has changes: \(object.hasPersistentChangedValues), \(object.changedValues())")
            }
            if differs, !context.updatedObjects.contains(object) {
                throw Mismatch(description: "\(id) has changes and is not among the updated objects")
            }
        }
    }

    /// - Parameters:
    ///   - isCompared: whether a relationship is compared, which loads it.
    ///   - uid: the number of an object.
    private static func compare(
        _ object: NSManagedObject, _ id: Int, _ wanted: GraphReference.Object,
        _ saved: GraphReference.Object?, _ isCompared: (GraphReference.Link) -> Bool = { _ in true },
        uid: (Any) -> Int = GraphWalk.uid
    ) throws {
        func check(_ key: String, _ found: (some Equatable)?, _ wanted: (some Equatable)?) throws {
            guard "\(found as Any)" == "\(wanted as Any)" else {
                throw Mismatch(
                    description:
                        "\(id).\(key) is \(found as Any) instead of \(wanted as Any); committed: \(saved as Any)"
                )
            }
        }
        try check("uid", object.value(forKey: "uid") as? Int, Optional(id))
        try check("name", object.value(forKey: "name") as? String, wanted.name)
        try check("number", object.value(forKey: "number") as? Int, Optional(wanted.number))
        try check("mark", object.value(forKey: "mark") as? String, wanted.mark)
        if wanted.entity == "Leaf" {
            try check("weight", object.value(forKey: "weight") as? Double, wanted.weight)
        }
        for link in GraphReference.links[wanted.entity] ?? [] where isCompared(link) {
            let value = object.value(forKey: link.name)
            if link.isOrdered {
                let found = (value as? NSOrderedSet)?.array.map(uid)
                try check(link.name, found, Optional(wanted.toMany[link.name] ?? []))
            } else if link.isToMany {
                let found = (value as? NSSet)?.allObjects.map(uid).sorted()
                try check(link.name, found, Optional(wanted.toMany[link.name] ?? []))
            } else {
                try check(link.name, value.map(uid), wanted.toOne[link.name])
            }
        }
    }

    private static func uid(_ object: Any) -> Int {
        (object as? NSManagedObject)?.value(forKey: "uid") as? Int ?? -1
    }

    private func compareFetches() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
        request.predicate = NSPredicate(format: "number < 3 OR name BEGINSWITH 't'")
        request.sortDescriptors = [
            NSSortDescriptor(key: "name", ascending: true), NSSortDescriptor(key: "uid", ascending: false),
        ]
        let matches = current.objects.filter { _, object in
            (object.entity == "Node" || object.entity == "Leaf")
                && (object.number < 3 || object.name?.hasPrefix("t") ?? false)
        }
        let order = matches.sorted { a, b in
            (a.value.name ?? "") != (b.value.name ?? "")
                ? (a.value.name ?? "") < (b.value.name ?? "") : a.key > b.key
        }
        let wanted = order.map(\.key)
        let found = try context.fetch(request).map(Self.uid)
        guard found == wanted else { throw Mismatch(description: "fetched \(found) instead of \(wanted)") }
        let count = try context.count(for: request)
        guard count == wanted.count else {
            throw Mismatch(description: "counted \(count) instead of \(wanted.count)")
        }
    }

    private func compareStore(in context: NSManagedObjectContext) throws {
        var seen: Set<Int> = []
        for entity in Graph.roots {
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                let id = Self.uid(object)
                guard var wanted = stored.objects[id] else {
                    throw Mismatch(description: "the store has an object \(id) too many")
                }
                wanted.mark = nil
                try Self.compare(object, id, wanted, wanted)
                seen.insert(id)
            }
        }
        guard seen == Set(stored.objects.keys) else {
            throw Mismatch(description: "the store lacks \(Set(stored.objects.keys).subtracting(seen))")
        }
    }

    private func compareUndoState() throws {
        try context.performAndWait {
            guard context.undoManager?.canUndo == !undoable.isEmpty,
                context.undoManager?.canRedo == !redoable.isEmpty
            else {
                throw Mismatch(
                    description:
                        "can undo: \(undoable.count), can redo: \(redoable.count); the manager says else")
            }
        }
    }
}

extension GraphReference {
    /// Whether a store keeps the same of both.
    fileprivate func isStored(as other: GraphReference) -> Bool {
        objects.mapValues { $0.persistent } == other.objects.mapValues { $0.persistent }
    }

    /// The same graph without the empty lists that edits leave behind.
    fileprivate var normalised: GraphReference {
        var normal = self
        normal.objects = objects.mapValues { object in
            var object = object
            object.toMany = object.toMany.filter { !$1.isEmpty }
            return object
        }
        return normal
    }
}

extension GraphReference.Object {
    /// What a store keeps of the object.
    fileprivate var persistent: GraphReference.Object {
        var stored = self
        stored.mark = nil
        stored.toMany = toMany.filter { !$1.isEmpty }
        return stored
    }
}
