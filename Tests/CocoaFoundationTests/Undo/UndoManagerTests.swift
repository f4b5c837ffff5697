import Foundation
import Testing

@testable import CocoaFoundation

@Suite struct UndoManagerTests {
    private let manager: UndoManager
    private let counter: Counter

    init() {
        manager = UndoManager()
        manager.groupsByEvent = false
        counter = Counter(manager)
    }

    private func group(_ changes: () -> Void) {
        manager.beginUndoGrouping()
        changes()
        manager.endUndoGrouping()
    }

    // MARK: Undoing and redoing

    @Test("Undo and redo go through the groups, and do nothing at the ends")
    func undoAndRedo() {
        group { counter.set(1) }
        group { counter.set(2) }
        #expect(manager.canUndo && !manager.canRedo)
        manager.undo()
        #expect(counter.value == 1)
        manager.undo()
        #expect(counter.value == 0)
        #expect(!manager.canUndo && manager.canRedo)
        manager.undo()
        #expect(counter.value == 0)
        manager.redo()
        #expect(counter.value == 1)
        manager.redo()
        #expect(counter.value == 2)
        #expect(manager.canUndo && !manager.canRedo)
        manager.redo()
        manager.undo()
        #expect(counter.value == 1)
    }

    @Test("The actions of a group are undone in reverse order")
    func actionsAreUndoneInReverse() {
        var order: [Int] = []
        group {
            for number in 1...3 { manager.registerUndo(withTarget: counter) { _ in order.append(number) } }
        }
        manager.undo()
        #expect(order == [3, 2, 1])
        #expect(!manager.canRedo)
    }

    @Test("A new action leaves nothing to redo")
    func aNewActionLeavesNothingToRedo() {
        group { counter.set(1) }
        manager.undo()
        #expect(manager.canRedo)
        group { counter.set(5) }
        #expect(!manager.canRedo)
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("The manager is undoing or redoing while it performs actions")
    func stateWhilePerforming() {
        var states: [[Bool]] = []
        func record(_ counter: Counter) {
            states.append([manager.isUndoing, manager.isRedoing])
            manager.registerUndo(withTarget: counter, handler: record)
        }
        group { manager.registerUndo(withTarget: counter, handler: record) }
        manager.undo()
        manager.redo()
        #expect(states == [[true, false], [false, true]])
        #expect(!manager.isUndoing && !manager.isRedoing)
        #expect(manager.canUndo && !manager.canRedo)
    }

    // MARK: Groups

    @Test("Nested groups are undone and redone with the outer one")
    func nestedGroupsAreUndoneWithTheOuterOne() {
        group {
            counter.set(1)
            group { counter.set(2) }
            group { group { counter.set(3) } }
            counter.set(4)
        }
        #expect(manager.groupingLevel == 0)
        manager.undo()
        #expect(counter.value == 0)
        #expect(!manager.canUndo)
        manager.redo()
        #expect(counter.value == 4)
    }

    @Test("A nested group may be undone and redone by itself")
    func aNestedGroupIsUndoneAlone() {
        manager.beginUndoGrouping()
        counter.set(1)
        group { counter.set(2) }
        #expect(manager.groupingLevel == 1)
        manager.undoNestedGroup()
        #expect(counter.value == 1)
        #expect(manager.groupingLevel == 1)
        #expect(manager.canRedo)
        manager.redo()
        #expect(counter.value == 2)
        manager.endUndoGrouping()
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("Undoing a nested group undoes a top-level group as well")
    func undoNestedGroupUndoesATopLevelGroupToo() {
        group { counter.set(1) }
        manager.undoNestedGroup()
        #expect(counter.value == 0)
        manager.undoNestedGroup()
        #expect(counter.value == 0)
    }

    @Test("Undo closes the open top-level group")
    func undoClosesTheTopLevelGroup() {
        manager.beginUndoGrouping()
        counter.set(1)
        #expect(manager.canUndo)
        manager.undo()
        #expect(counter.value == 0)
        #expect(manager.groupingLevel == 0)
    }

    @Test("A group without actions counts as a step of undo")
    func aGroupWithoutActionsIsKept() {
        group { counter.set(1) }
        group {}
        manager.undo()
        #expect(counter.value == 1)
        #expect(!manager.canRedo)
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("The number of levels bounds undo, and zero means no bound")
    func levelsAreBounded() {
        for number in 1...5 { group { counter.set(number) } }
        manager.levelsOfUndo = 3
        #expect(manager.levelsOfUndo == 3)
        for _ in 0..<5 { manager.undo() }
        #expect(counter.value == 2)
        for _ in 0..<5 { manager.redo() }
        #expect(counter.value == 5)
        manager.levelsOfUndo = 0
        for number in 6...10 { group { counter.set(number) } }
        for _ in 0..<20 { manager.undo() }
        #expect(counter.value == 2)
    }

    // MARK: Registration

    @Test("Registration is enabled after as many calls as disabled it")
    func disablingIsCounted() {
        manager.disableUndoRegistration()
        manager.disableUndoRegistration()
        #expect(!manager.isUndoRegistrationEnabled)
        counter.set(1)
        manager.enableUndoRegistration()
        counter.set(2)
        #expect(!manager.canUndo)
        manager.enableUndoRegistration()
        #expect(manager.isUndoRegistrationEnabled)
        group { counter.set(3) }
        manager.undo()
        #expect(counter.value == 2)
    }

    @Test("A change while registration is disabled keeps what can be redone")
    func disabledRegistrationKeepsWhatCanBeRedone() {
        group { counter.set(1) }
        manager.undo()
        manager.disableUndoRegistration()
        counter.set(7)
        manager.enableUndoRegistration()
        #expect(manager.canRedo)
    }

    // MARK: Targets

    @Test("Targets are not retained, and groups of released targets are skipped")
    func targetsAreNotRetained() {
        weak var gone: Counter?
        do {
            let other = Counter(manager)
            gone = other
            group {
                other.set(1)
                counter.set(1)
            }
            group { other.set(2) }
        }
        #expect(gone == nil)
        // The second group has no living target, so the first one is the last.
        manager.undo()
        #expect(counter.value == 0)
        #expect(!manager.canUndo)
    }

    @Test("A group of released targets leaves nothing to undo and no name")
    func groupsWithoutLivingTargetsAreNothingToUndo() {
        do {
            let other = Counter(manager)
            group { group { other.set(1) } }
            #expect(manager.canUndo)
            manager.undo()
            #expect(manager.canRedo)
            manager.redo()
        }
        #expect(!manager.canUndo)
        #expect(manager.undoActionName == "")
    }

    @Test("Removing all actions enables registration")
    func removingAllActionsEnablesRegistration() {
        group { counter.set(1) }
        group { counter.set(2) }
        manager.undo()
        manager.disableUndoRegistration()
        manager.beginUndoGrouping()
        manager.removeAllActions()
        #expect(!manager.canUndo && !manager.canRedo)
        #expect(manager.isUndoRegistrationEnabled)
        manager.endUndoGrouping()
    }

    @Test("Removing the actions of a target leaves those of others")
    func removingTheActionsOfATarget() {
        let other = Counter(manager)
        group { other.set(1) }
        group {
            counter.set(1)
            group { other.set(2) }
        }
        manager.beginUndoGrouping()
        other.set(3)
        manager.removeAllActions(withTarget: other)
        manager.endUndoGrouping()
        manager.undo()  // the group that was open
        #expect(counter.value == 1)
        manager.undo()
        #expect(counter.value == 0)
        #expect(other.value == 3)
        #expect(!manager.canUndo)
        // A value that is not an object is not the target of any action.
        manager.removeAllActions(withTarget: 5)
        #expect(manager.canRedo)
    }

    @Test("Actions removed during undo are not performed")
    func actionsThatAreRemovedWhileUndoingAreNotPerformed() {
        let other = Counter(manager)
        group {
            other.set(1)
            group { other.set(2) }
            manager.registerUndo(withTarget: counter) { [manager] _ in
                manager.removeAllActions(withTarget: other)
            }
        }
        manager.undo()
        #expect(other.value == 2)
        #expect(manager.groupingLevel == 0)
    }

    @Test("A target may remove its actions in its deinitializer")
    func aTargetMayRemoveItsActionsAtItsEnd() {
        final class Leaving {
            let manager: UndoManager
            init(_ manager: UndoManager) { self.manager = manager }
            deinit { manager.removeAllActions(withTarget: self) }
        }
        do {
            let leaving = Leaving(manager)
            group { manager.registerUndo(withTarget: leaving) { _ in } }
        }
        #expect(!manager.canUndo)
    }

    @Test("The manager may be released before its targets")
    func theManagerMayEndFirst() {
        weak var gone: UndoManager?
        do {
            let manager = UndoManager()
            gone = manager
            manager.registerUndo(withTarget: counter) { _ in }
        }
        #expect(gone == nil)
    }
}
