import Foundation

/// Registers the events of a context with an undo manager.
final class UndoRecorder {
    private(set) var manager: UndoManager?
    /// Registers pending changes when the undo manager requests them.
    private var checkpoints: UndoCheckpoints?

    /// Whether an event is registered.
    var isRecording: Bool { manager?.isUndoRegistrationEnabled ?? false }

    /// Registers with a manager from now on. The running event's changes so far are registered before the manager opens or
    /// closes a group, undoes or redoes.
    func record(with new: UndoManager?, for context: NSManagedObjectContext) {
        guard new !== manager else { return }
        manager?.removeAllActions(withTarget: context)
        manager = new
        checkpoints = new.map { manager in
            UndoCheckpoints(manager) { [weak context] in
                guard let context, context.contextQueue.isCurrent, context.session.phase == .idle else {
                    return
                }
                context.processPendingChanges()
            }
        }
    }

    func register(
        _ context: NSManagedObjectContext, _ undo: @escaping (NSManagedObjectContext) -> Void
    ) {
        guard let manager, manager.isUndoRegistrationEnabled else { return }
        manager.registerUndo(withTarget: context, handler: undo)
    }
}
