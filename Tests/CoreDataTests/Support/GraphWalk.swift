import CoreData
import Foundation

/// A walk of random edits through a context over a store, or over parents of it, beside a `GraphReference` that makes the
/// same ones.
final class GraphWalk {
    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    let kind: StoreKind
    var stack: TestStack
    /// The contexts from the one that works on the coordinator to the one that is edited.
    var chain: [NSManagedObjectContext]
    var context: NSManagedObjectContext { chain[chain.count - 1] }
    var random: SeededGenerator
    /// What the context has to show, what it has saved, and what the store has to hold.
    var current = GraphReference()
    var saved = GraphReference()
    var stored = GraphReference()
    var undoable: [GraphReference] = []
    var redoable: [GraphReference] = []
    var objects: [Int: NSManagedObject] = [:]
    var lastID = 0
    var log: [String] = []
    /// Small graphs have more in common with those of others.
    let objectLimit = 12
    /// Objects that another context has deleted, until the next save.
    var ghosts: Set<NSManagedObject> = []
    /// Whether an object may count as changed that has come to what another context has saved.
    var mayHaveEmptyChanges = false
    /// How often others were met, and how.
    var meetings: [String: Int] = [:]
    let matching = NSPredicate(format: "number < 3 OR name BEGINSWITH 't'")

    /// - Parameter depth: how many parents are between the context and the coordinator.
    init(seed: UInt64, depth: Int = 0, kind: StoreKind = .sqlite) throws {
        random = SeededGenerator(seed: seed)
        self.kind = kind
        stack = try TestStack(Graph.model(), type: kind.type)
        chain = [stack.context()]
        for _ in 0..<depth { addChild() }
        context.performAndWait { context.undoManager = UndoManager() }
    }

    func addChild() {
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = context
        chain.append(child)
    }

    /// Takes steps, and compares everything after each.
    func run(steps: Int) throws {
        for step in 1...steps {
            log.append("\(step)")
            do {
                try takeStep()
                try context.performAndWait {
                    try compareAll()
                    if random.oneIn(8) { try compareFetches() }
                    try compareUndoState()
                }
            } catch {
                let length = ProcessInfo.processInfo.environment["GRAPH_LOG"].flatMap(Int.init) ?? 40
                throw Mismatch(
                    description: "step \(step): \(error)\n" + log.suffix(length).joined(separator: "\n"))
            }
            if log.count > 4000 { log.removeFirst(2000) }
        }
    }

    private func takeStep() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<60: edit()
        case 60: editInGroup()
        case 61: try deleteWhatIsDenied()
        case 62..<65: try mergeAnother()
        case 65..<68: try saveBesideAnother()
        case 68..<80: undo()
        case 80..<88: redo()
        case 88..<92: try save()
        case 92: rollBack()
        case 93: processTwice()
        case 94: try reopen(withFile: kind.isLasting && random.oneIn(2))
        case 95: followedByEdit(refreshAll)
        case 96..<99: followedByEdit(refreshSome)
        default: followedByEdit(forgetFaults)
        }
    }

    /// What is compared is loaded; so that objects and relationships are edited that are not, some edits come first.
    private func followedByEdit(_ body: () -> Void) {
        body()
        if !random.oneIn(4) { edit() }
    }

    // MARK: The context as a whole

    func undo() {
        log.append("undo (\(undoable.count))")
        context.performAndWait { context.undo() }
        guard let before = undoable.popLast() else { return }
        redoable.append(current)
        current = before
    }

    func redo() {
        log.append("redo (\(redoable.count))")
        context.performAndWait { context.redo() }
        guard let after = redoable.popLast() else { return }
        undoable.append(current)
        current = after
    }

    func save() throws {
        log.append("save")
        try context.performAndWait { try context.save() }
        saved = current
        (ghosts, mayHaveEmptyChanges) = ([], false)
        if chain.count == 1 || random.oneIn(2) { try saveParents() }
    }

    /// Saves what the context has saved in all contexts above it, so that the store has it.
    func saveParents() throws {
        for parent in chain.dropLast().reversed() {
            log.append("save a parent")
            try parent.performAndWait { try parent.save() }
        }
        stored = saved
        try stack.inContext { try self.compareStore(in: $0) }
    }

    func rollBack() {
        log.append("rollback")
        context.performAndWait {
            context.rollback()
            mayHaveEmptyChanges = false
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

    func refreshAll() {
        log.append("refresh all")
        forgetUndo()
        context.performAndWait { context.refreshAllObjects() }
        for id in current.objects.keys where objects[id]?.isInserted == false {
            current.objects[id]?.mark = nil
        }
    }

    func refreshSome() {
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

    func processTwice() {
        context.performAndWait {
            context.processPendingChanges()
            context.processPendingChanges()
        }
    }

    func forgetUndo() {
        context.performAndWait { context.undoManager?.removeAllActions() }
        undoable = []
        redoable = []
        forgetTheGone()
    }

    /// Drops the references to objects that nothing can bring back.
    func forgetTheGone() {
        objects = objects.filter { current.objects[$0.key] != nil || saved.objects[$0.key] != nil }
    }

    /// Releases all objects, so that those without changes are deinitialized, and finds them again.
    func forgetFaults() {
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
    func reopen(withFile: Bool) throws {
        log.append(withFile ? "reopen the file" : "new context")
        objects = [:]
        undoable = []
        redoable = []
        mayHaveEmptyChanges = false
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

    func findAgain() {
        context.performAndWait {
            for entity in Graph.roots {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                for object in ((try? context.fetch(request)) ?? []) + Array(context.deletedObjects) {
                    if let id = object.value(forKey: "uid") as? Int { objects[id] = object }
                }
            }
        }
    }
}

extension GraphReference {
    /// The same graph without the empty lists that edits leave behind.
    var normalised: GraphReference {
        var normal = self
        normal.objects = objects.mapValues { object in
            var object = object
            object.toMany = object.toMany.filter { !$1.isEmpty }
            return object
        }
        return normal
    }
}
