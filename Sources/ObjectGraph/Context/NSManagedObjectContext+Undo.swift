import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The changes of one event, kept to undo them.
final class UndoStep {
    struct Change {
        let object: NSManagedObject
        let event: EventChanges
    }

    let inserted: [NSManagedObject]
    /// For each inserted object, whether it is new, rather than restored before its deletion was saved.
    let areNew: [Bool]
    let deleted: [NSManagedObject]
    let changes: [Change]

    init(_ event: EventObjects) {
        inserted = event.inserted
        areNew = inserted.map(\.isInserted)
        // An object that one event made and deleted is left out.
        deleted = event.deleted + event.announcedForgotten
        changes = (event.updated + event.inserted + deleted).compactMap { object in
            guard let event = object.extras?.event?.effective(in: object), !event.isEmpty else { return nil }
            return Change(object: object, event: event)
        }
    }

    var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && changes.isEmpty }
}

extension NSManagedObjectContext {
    /// Undoes the last change that was registered with the undo manager.
    public func undo() {
        assertOnQueue()
        endEvent()
        undoManager?.undo()
        endEvent()
    }

    /// Redoes the change that was undone last.
    public func redo() {
        assertOnQueue()
        endEvent()
        undoManager?.redo()
        endEvent()
    }

    func registerUndo(of event: EventObjects) {
        let isResolving = session.isWriting
        guard isResolving || undoRecorder.isRecording else { return }
        let step = UndoStep(event)
        guard !step.isEmpty else { return }
        if isResolving {
            session.note(.event(step))
        } else {
            register(step)
        }
    }

    private func register(_ step: UndoStep) {
        undoRecorder.register(self) { context in context.revertStep(step) { context.isGone($0) } }
    }

    /// After a store has committed: the resolutions of its conflicts stay, and can be undone.
    ///
    /// - Parameter isComplete: false when the save continues with other stores.
    func keepResolution(isComplete: Bool) {
        let steps = session.takeResolutionSteps(isComplete: isComplete)
        for case .event(let step) in steps { register(step) }
    }

    /// After a save that failed: reverts the resolutions of conflicts.
    func revertResolution() {
        let steps = session.takeResolutionSteps(isComplete: true)
        guard !steps.isEmpty else { return }
        undoManager?.disableUndoRegistration()
        defer { undoManager?.enableUndoRegistration() }
        for step in steps.reversed() {
            switch step {
            // Nothing was merged since: a snapshot restores what the resolution removed.
            case .event(let step): revertStep(step) { _ in false }
            case .object(let snapshot): restore(snapshot)
            }
        }
        processPendingChanges()
    }

    /// Whether an object was deleted elsewhere since a step had a link to it, or its deletion was saved and is not undone.
    private func isGone(_ object: NSManagedObject) -> Bool {
        object.context !== self || object.isDeleted && object.state.contains(.inaccessible)
    }

    /// Undoes a step; the changes become the step that redoes it.
    ///
    /// - Parameter isGone: whether an object that the step had a link to is not linked to again. It is called after deletions
    ///   are undone.
    private func revertStep(_ step: UndoStep, isGone: (NSManagedObject) -> Bool) {
        session.phase = .undoing
        for object in step.deleted { reverseDeletion(object) }
        for change in step.changes where change.object.context === self {
            change.object.revert(change.event.leavingOutLinks(to: isGone))
        }
        let gone = Set(step.changes.flatMap(\.event.formerDestinations).filter(\.isDeleted))
        for (object, isNew) in zip(step.inserted, step.areNew) { reverseInsertion(object, isNew: isNew) }
        session.phase = .idle
        // A link that others had made to an object deleted here ended with their merge. It is not made again.
        for object in gone where object.context === self && !object.state.contains(.inaccessible) {
            repeatDeletion(of: object)
        }
        processPendingChanges()
        notify(step.deleted, .undoDeletion)
        notify(
            step.changes.map(\.object).filter { !step.deleted.contains($0) && !step.inserted.contains($0) },
            .undoUpdate)
        notify(step.inserted, .undoInsertion)
    }

    private func notify(_ objects: [NSManagedObject], _ event: NSSnapshotEventType) {
        for object in objects { object.withoutChangeTracking { object.awake(fromSnapshotEvents: event) } }
    }

    /// Undoes a deletion.
    private func reverseDeletion(_ object: NSManagedObject) {
        if object.context === self {
            if !object.state.contains(.inaccessible) {
                restoreDeleted(object)
            } else if object.row != nil {
                // Others have deleted it too.
                renew(object)
            }
            return
        }
        guard object.context == nil else { return }
        // The object was never saved, or its deletion was: it is restored as a new one with its former values.
        object.state.remove(.inaccessible)
        object.loadAllValues(in: self)
        if !keepsIdentity(object) {
            object.storedEntity = unstoredEntity(object.layout)
            object.reference = StoredEntity.newTemporaryReference()
            IdentityChanges.note()
        }
        object.row = nil
        object.context = self
        register(object)
        retained?[ObjectIdentifier(object)] = object
        tracker.noteReturn(of: object)
    }

    /// Whether an object that left can have its former ID again: one that was never saved, and had the ID here.
    private func keepsIdentity(_ object: NSManagedObject) -> Bool {
        guard object.row == nil, identityMap.object(object.key) == nil else { return false }
        if object.storedEntity.isTemporary { return object.storedEntity === unstoredEntity(object.layout) }
        return persistentStoreCoordinator?.objectStores.contains { $0 === object.storedEntity.store } ?? false
    }

    /// Undoes an insertion, or repeats a deletion.
    ///
    /// - Parameter isNew: whether it is an insertion: links may lead to the object that no step has recorded.
    private func reverseInsertion(_ object: NSManagedObject, isNew: Bool) {
        guard object.context === self, !object.isDeleted else { return }
        // The step has the effects of the rules when it was deleted, unless they were still to be applied.
        markDeleted(object, isPropagated: !isNew && propagatesDeletesAtEndOfEvent)
    }
}

extension NSManagedObject {
    /// Reverts the changes of an event. Inverses are not maintained: they were recorded too.
    final func revert(_ event: EventChanges) {
        fireFault()
        for (slot, old) in event.old {
            willChange(at: slot)
            assign(old, at: slot)
            if isArchiveOfRow(old, at: slot) {
                // As if it had never been replaced.
                values[slot] = .unloaded
                touched.remove(slot)
            }
            didChange(at: slot)
        }
        for (slot, change) in event.toMany {
            willChange(at: slot)
            revertMembers(change, at: slot)
            if let order = change.oldOrder { reorder(order, at: slot) }
            didChange(at: slot)
        }
    }

    /// Whether a value is the archive that the row has.
    private final func isArchiveOfRow(_ value: SlotValue, at slot: Int) -> Bool {
        guard case .boxed(let box) = value, let archive = box.value as? OpaqueArchive, let row,
            !row.isNull(slot)
        else { return false }
        return row.data(slot) == archive.data
    }

    /// Copies every value out of the row, so that the object no longer needs it.
    ///
    /// - Parameter context: the context whose next save fails when external data no longer exists.
    final func loadAllValues(in context: NSManagedObjectContext) {
        readExternalData { error in context.session.faultingError = error }
        for slot in layout.slots.indices where layout.slots[slot].kind != .fetched {
            if layout.slots[slot].kind == .toMany {
                let contents = loadedToMany(at: slot)
                let fresh = ToManyContents(isOrdered: contents.isOrdered, isLoaded: true)
                for object in contents.ordered { fresh.insert(object) }
                setSlot(slot, .toMany(fresh))
            } else if layout.slots[slot].kind == .toOne, let row, !row.isNull(slot),
                slot >= values.count || values[slot].isUnloaded
            {
                // The object may have left its context.
                setSlot(slot, context.destination(of: self, slot, row).map { .object($0) } ?? .null)
            } else {
                setSlot(slot, value(at: slot))
            }
        }
    }
}
