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

    @Test func undoAndRedo() {
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

    @Test func actionsAreUndoneInReverse() {
        var order: [Int] = []
        group {
            for number in 1...3 { manager.registerUndo(withTarget: counter) { _ in order.append(number) } }
        }
        manager.undo()
        #expect(order == [3, 2, 1])
        #expect(!manager.canRedo)
    }

    @Test func aNewActionLeavesNothingToRedo() {
        group { counter.set(1) }
        manager.undo()
        #expect(manager.canRedo)
        group { counter.set(5) }
        #expect(!manager.canRedo)
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test func stateIsToldWhilePerforming() {
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

    @Test func nestedGroupsAreUndoneWithTheOuterOne() {
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

    @Test func aNestedGroupIsUndoneAlone() {
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

    @Test func undoNestedGroupUndoesATopLevelGroupToo() {
        group { counter.set(1) }
        manager.undoNestedGroup()
        #expect(counter.value == 0)
        manager.undoNestedGroup()
        #expect(counter.value == 0)
    }

    @Test func undoClosesTheTopLevelGroup() {
        manager.beginUndoGrouping()
        counter.set(1)
        #expect(manager.canUndo)
        manager.undo()
        #expect(counter.value == 0)
        #expect(manager.groupingLevel == 0)
    }

    @Test func aGroupWithoutActionsIsKept() {
        group { counter.set(1) }
        group {}
        manager.undo()
        #expect(counter.value == 1)
        #expect(!manager.canRedo)
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test func levelsAreBounded() {
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

    @Test func disablingIsCounted() {
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

    @Test func disabledRegistrationKeepsWhatCanBeRedone() {
        group { counter.set(1) }
        manager.undo()
        manager.disableUndoRegistration()
        counter.set(7)
        manager.enableUndoRegistration()
        #expect(manager.canRedo)
    }

    // MARK: Targets

    @Test func targetsAreNotRetained() {
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

    @Test func groupsWithoutLivingTargetsAreNothingToUndo() {
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

    @Test func removingAllActionsEnablesRegistration() {
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

    @Test func removingTheActionsOfATarget() {
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
        // Something that is no object is no target of any action.
        manager.removeAllActions(withTarget: 5)
        #expect(manager.canRedo)
    }

    @Test func actionsThatAreRemovedWhileUndoingAreNotPerformed() {
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

    @Test func aTargetMayRemoveItsActionsAtItsEnd() {
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

    @Test func theManagerMayEndFirst() {
        weak var gone: UndoManager?
        do {
            let manager = UndoManager()
            gone = manager
            manager.registerUndo(withTarget: counter) { _ in }
        }
        #expect(gone == nil)
    }
}
