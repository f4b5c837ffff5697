import Foundation
import Testing

@testable import CocoaFoundation

@Suite struct UndoNotificationTests {
    private let manager: UndoManager
    private let counter: Counter
    private let log: UndoLog

    init() {
        manager = UndoManager()
        manager.groupsByEvent = false
        counter = Counter(manager)
        log = UndoLog(manager)
    }

    @Test("Notification names are Apple's")
    func namesAreApples() {
        #expect(NSNotification.Name.NSUndoManagerCheckpoint.rawValue == "NSUndoManagerCheckpointNotification")
        #expect(
            NSNotification.Name.NSUndoManagerDidCloseUndoGroup.rawValue
                == "NSUndoManagerDidCloseUndoGroupNotification")
        #expect(NSUndoManagerGroupIsDiscardableKey == "NSUndoManagerGroupIsDiscardableKey")
    }

    @Test("Groups, undo and redo post their notifications in Apple's order")
    func groupsAtTheTopLevelOpenWithoutCheckpoint() {
        manager.beginUndoGrouping()
        #expect(log.take() == ["didOpen"])
        manager.beginUndoGrouping()
        #expect(log.take() == ["checkpoint", "didOpen"])
        manager.endUndoGrouping()
        #expect(log.take() == ["checkpoint", "willClose", "didClose"])
        counter.set(1)
        #expect(log.take() == [])
        manager.undo()
        #expect(
            log.take() == [
                "checkpoint", "checkpoint", "willClose", "didClose", "willUndo", "didUndo",
            ])
        #expect(manager.canRedo)
        #expect(log.take() == ["checkpoint"])
        manager.redo()
        #expect(log.take() == ["checkpoint", "willRedo", "didRedo"])
        _ = manager.canUndo
        #expect(log.take() == [])
    }

    @Test("The group of the event is opened before the requested one")
    func theEventsGroupIsOpenedFirst() {
        manager.groupsByEvent = true
        manager.beginUndoGrouping()
        #expect(log.take() == ["didOpen", "checkpoint", "didOpen"])
    }

    @Test("Undo and redo of nothing post checkpoints only")
    func nothingToUndoPostsNoChange() {
        manager.undo()
        manager.undoNestedGroup()
        manager.redo()
        #expect(log.take() == ["checkpoint", "checkpoint", "checkpoint"])
    }

    /// What is registered at a checkpoint belongs to the group that is about to be closed, and leaves nothing to
    /// redo.
    @Test("An action registered at a checkpoint belongs to the group being closed")
    func checkpointsLetOthersRegister() {
        var pending = 1
        nonisolated(unsafe) let counter = counter
        nonisolated(unsafe) let change = { (value: Int) in
            if pending > 0, counter.undoManager.groupingLevel > 0 {
                pending -= 1
                counter.set(value)
            }
        }
        let token = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
        ) { _ in change(9) }
        defer { NotificationCenter.default.removeObserver(token) }
        manager.beginUndoGrouping()
        manager.endUndoGrouping()
        #expect(counter.value == 9)
        manager.undo()
        #expect(counter.value == 0)

        manager.groupsByEvent = true
        pending = 1
        manager.beginUndoGrouping()
        manager.endUndoGrouping()
        #expect(!manager.canRedo)
        manager.undo()
        #expect(counter.value == 0)
    }

    // MARK: Names

    @Test("Menu titles have the names of actions")
    func titlesCarryTheNames() {
        #expect(manager.undoMenuItemTitle == "Undo")
        #expect(manager.redoMenuItemTitle == "Redo")
        manager.beginUndoGrouping()
        counter.set(1)
        manager.setActionName("Count")
        #expect(manager.undoActionName == "Count")
        manager.endUndoGrouping()
        #expect(manager.undoMenuItemTitle == "Undo Count")
        manager.undo()
        #expect(manager.undoActionName == "")
        #expect(manager.redoActionName == "Count")
        #expect(manager.redoMenuItemTitle == "Redo Count")
        manager.redo()
        #expect(manager.undoActionName == "Count")
        manager.setActionName("Recount")
        #expect(manager.undoActionName == "Recount")
        manager.setActionName("")
        #expect(manager.undoMenuItemTitle == "Undo")
    }

    @Test("An undo action may name its redo action")
    func anActionMayNameItsCounterpart() {
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: counter) { counter in
            counter.set(1)
            counter.undoManager.setActionName("Back")
        }
        manager.setActionName("Forth")
        manager.endUndoGrouping()
        manager.undo()
        #expect(manager.redoActionName == "Back")
    }

    @Test("The last name set in nested groups takes precedence")
    func theLastNameOfNestedGroupsCounts() {
        manager.beginUndoGrouping()
        manager.setActionName("Outer")
        manager.beginUndoGrouping()
        counter.set(1)
        manager.setActionName("Inner")
        manager.endUndoGrouping()
        manager.endUndoGrouping()
        #expect(manager.undoActionName == "Inner")
    }

    @Test("A name set before the first action of an event belongs to that event")
    func aNameMayComeBeforeTheFirstActionOfAnEvent() {
        manager.groupsByEvent = true
        counter.set(1)
        manager.setActionName("First")
        manager.endEventGroup()
        manager.setActionName("Second")
        counter.set(2)
        manager.endEventGroup()
        #expect(manager.undoActionName == "Second")
        manager.undo()
        #expect(manager.undoActionName == "First")
    }

    @Test("A subclass may translate menu titles")
    func titlesMayBeTranslated() {
        final class German: UndoManager {
            override func undoMenuTitle(forUndoActionName actionName: String) -> String {
                "\(actionName) widerrufen"
            }
        }
        let german = German()
        let counter = Counter(german)
        counter.set(1)
        german.setActionName("Zählen")
        #expect(german.undoMenuItemTitle == "Zählen widerrufen")
    }

    // MARK: Discardable actions

    @Test("A group of discardable actions is discardable when undone and redone")
    func aGroupOfDiscardableActionsIsDiscardable() {
        manager.beginUndoGrouping()
        counter.set(1)
        manager.setActionIsDiscardable(true)
        #expect(manager.undoActionIsDiscardable)
        _ = log.take()
        manager.endUndoGrouping()
        #expect(log.take() == ["checkpoint", "willClose discardable", "didClose discardable"])
        manager.undo()
        #expect(manager.redoActionIsDiscardable)
        #expect(!manager.undoActionIsDiscardable)
        manager.redo()
        #expect(manager.undoActionIsDiscardable)
    }

    @Test("One action that is not discardable makes its group so")
    func oneOtherActionMakesAGroupKept() {
        manager.beginUndoGrouping()
        manager.setActionIsDiscardable(true)  // the next one
        counter.set(1)
        #expect(manager.undoActionIsDiscardable)
        counter.set(2)
        manager.endUndoGrouping()
        #expect(!manager.undoActionIsDiscardable)
        #expect(!log.take().contains("willClose discardable"))
        manager.setActionIsDiscardable(true)  // the latest one, the other one being so
        #expect(manager.undoActionIsDiscardable)
    }
}
