import CoreData

// What another context saves meanwhile: a context on the same coordinator, or another child of the same parent. It is merged
// under the changes of this one, or this one saves first and a merge policy resolves the conflicts.

extension GraphWalk {
    /// What another context has made of the graph, saved, and what the graphs of both come to.
    private struct Rival {
        let merge: GraphMerge
        let merged: GraphReference
        let notification: Notification
    }

    private static let policies: [(policy: NSMergePolicy, resolution: GraphMerge.Resolution)] = [
        (.error, .ownChanges), (.mergeByPropertyObjectTrump, .ownChanges),
        (.mergeByPropertyStoreTrump, .othersChanges), (.overwrite, .ownValues), (.rollback, .othersValues),
    ]

    /// Merges what another context saves under the changes of this one.
    func mergeAnother() throws {
        let merge = GraphMerge(base: saved, ours: current, theirs: saved, isInParent: chain.count > 1)
        guard let rival = try editElsewhere(merge, unless: { _ in false }) else { return }
        log.append("merge")
        meetings["merges", default: 0] += 1
        try context.performAndWait { try takeIn(rival, hasSaved: false) }
    }

    /// Saves what this context has changed after another context of the coordinator has saved; then merges that.
    func saveBesideAnother() throws {
        guard let (policy, resolution) = Self.policies.randomElement(using: &random) else { return }
        let isError = policy.mergeType == .errorMergePolicyType
        let merge = GraphMerge(
            base: saved, ours: current, theirs: saved, resolution: resolution, isSave: !isError,
            isInParent: chain.count > 1)
        var found: Rival?
        for attempt in 1...4 where found == nil {
            found = try editElsewhere(merge) { attempt < 4 && !$0.hasConflicts }
        }
        guard let rival = found else { return }
        log.append("save beside it, policy \(policy.mergeType.rawValue)")
        if rival.merge.hasConflicts {
            meetings["conflicts of policy \(policy.mergeType.rawValue)", default: 0] += 1
        }
        try context.performAndWait {
            context.mergePolicy = policy
            defer { context.mergePolicy = NSMergePolicy.error }
            let fails = isError && rival.merge.hasConflicts
            do {
                try context.save()
                if fails { throw Mismatch(description: "a save with conflicts did not fail") }
            } catch let error as CocoaError
                where fails && [133020, 1550, 1600].contains(error.code.rawValue)
            {
                guard context.hasChanges else { throw Mismatch(description: "a failed save kept no changes") }
            }
            try takeIn(rival, hasSaved: !fails)
        }
    }

    /// Edits what this context works on in another context, which saves if the reference can tell what comes of it.
    ///
    /// - Parameter isRefused: whether something else is wanted.
    private func editElsewhere(_ merge: GraphMerge, unless isRefused: (GraphMerge) -> Bool) throws -> Rival? {
        guard !saved.objects.isEmpty else { return nil }
        forgetUndo()
        log.append("another context")
        let (ours, ourObjects, ourCurrent) = (chain, objects, current)
        defer { (chain, objects, current) = (ours, ourObjects, ourCurrent) }
        chain.removeLast()
        if chain.isEmpty { chain = [stack.context()] } else { addChild() }
        (objects, current) = ([:], saved)
        for id in current.objects.keys { current.objects[id]?.mark = nil }
        findAgain()
        let log = NotificationLog(
            random.oneIn(2) ? .NSManagedObjectContextDidSave : .NSManagedObjectContextDidSaveObjectIDs,
            from: context)
        let count = Int.random(in: 1...4, using: &random)
        context.performAndWait {
            for _ in 0..<count { editOnce() }
        }
        var merge = merge
        merge.theirs = current
        guard let merged = merge.merged, !isRefused(merge) else {
            self.log.append("discards its merge")
            return nil
        }
        try context.performAndWait { try context.save() }
        return log.all.last.map { Rival(merge: merge, merged: merged, notification: $0) }
    }

    private func takeIn(_ rival: Rival, hasSaved: Bool) throws {
        // What comes back is another object by now.
        let gone = rival.merge.othersDeletions.filter { rival.merged.objects[$0] == nil }
            .compactMap { objects[$0] }.filter { $0.managedObjectContext === context }
        context.mergeChanges(fromContextDidSave: rival.notification)
        for object in gone where !(object.isDeleted && context.deletedObjects.contains(object)) {
            throw Mismatch(description: "\(object.objectID) was deleted elsewhere, and is not here")
        }
        current = rival.merged
        saved = hasSaved ? rival.merged : rival.merge.theirs
        if chain.count == 1 { stored = saved }
        mayHaveEmptyChanges = !hasSaved
        ghosts = Set(gone)
        forgetUndo()
        takeMarks()
        try compareAll()
        if chain.count == 1 { try stack.inContext { try self.compareStore(in: $0) } }
        guard !ghosts.isEmpty else { return }
        // A save has nothing to write for an object that is already deleted, and releases it.
        try save()
        guard context.deletedObjects.isEmpty, !context.hasChanges else {
            throw Mismatch(description: "deletions of another context stay after a save")
        }
        forgetTheGone()
    }

    /// What becomes of values that are not stored is not promised; they are what the objects say.
    private func takeMarks() {
        findAgain()
        for id in current.objects.keys {
            current.objects[id]?.mark = objects[id]?.value(forKey: "mark") as? String
        }
    }
}
