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

    @Test func namesAreApples() {
        #expect(NSNotification.Name.NSUndoManagerCheckpoint.rawValue == "NSUndoManagerCheckpointNotification")
        #expect(
            NSNotification.Name.NSUndoManagerDidCloseUndoGroup.rawValue
                == "NSUndoManagerDidCloseUndoGroupNotification")
        #expect(NSUndoManagerGroupIsDiscardableKey == "NSUndoManagerGroupIsDiscardableKey")
    }

    @Test func groupsAtTheTopLevelOpenWithoutCheckpoint() {
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

    @Test func theEventsGroupIsOpenedFirst() {
        manager.groupsByEvent = true
        manager.beginUndoGrouping()
        #expect(log.take() == ["didOpen", "checkpoint", "didOpen"])
    }

    @Test func nothingToUndoPostsNoChange() {
        manager.undo()
        manager.undoNestedGroup()
        manager.redo()
        #expect(log.take() == ["checkpoint", "checkpoint", "checkpoint"])
    }

    /// What is registered at a checkpoint belongs to the group that is about to be closed, and leaves nothing to
    /// redo.
    @Test func checkpointsLetOthersRegister() {
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

    @Test func titlesCarryTheNames() {
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

    @Test func anActionMayNameItsCounterpart() {
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

    @Test func theLastNameOfNestedGroupsCounts() {
        manager.beginUndoGrouping()
        manager.setActionName("Outer")
        manager.beginUndoGrouping()
        counter.set(1)
        manager.setActionName("Inner")
        manager.endUndoGrouping()
        manager.endUndoGrouping()
        #expect(manager.undoActionName == "Inner")
    }

    @Test func aNameMayComeBeforeTheFirstActionOfAnEvent() {
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

    @Test func titlesMayBeTranslated() {
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

    @Test func aGroupOfDiscardableActionsIsDiscardable() {
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

    @Test func oneOtherActionMakesAGroupKept() {
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
