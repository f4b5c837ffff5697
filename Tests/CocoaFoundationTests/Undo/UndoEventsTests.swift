import Foundation
import Testing

@testable import CocoaFoundation

/// The group that each event has of its own.
@Suite struct UndoEventsTests {
    private let manager = UndoManager()
    private let counter: Counter

    init() { counter = Counter(manager) }

    @Test("The first registration of an event opens a group, and undo closes it")
    func theFirstRegistrationOpensTheGroup() {
        #expect(manager.groupsByEvent)
        #expect(manager.groupingLevel == 0)
        counter.set(1)
        counter.set(2)
        #expect(manager.groupingLevel == 1)
        #expect(manager.canUndo)
        manager.undo()
        #expect(counter.value == 0)
        #expect(manager.groupingLevel == 0)
    }

    @Test("Each event ends its group, which is undone by itself")
    func theOwnerOfTheEventClosesTheGroup() {
        counter.set(1)
        manager.endEventGroup()
        counter.set(2)
        manager.endEventGroup()
        manager.endEventGroup()
        manager.undo()
        #expect(counter.value == 1)
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("A group opened in an event is nested in that of the event")
    func openedGroupsAreNestedInThatOfTheEvent() {
        manager.beginUndoGrouping()
        #expect(manager.groupingLevel == 2)
        counter.set(1)
        manager.endEventGroup()
        #expect(manager.groupingLevel == 2)
        manager.endUndoGrouping()
        #expect(manager.groupingLevel == 1)
        counter.set(2)
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("An event without actions leaves nothing to undo")
    func anEventWithoutActionsLeavesNoGroup() {
        counter.set(1)
        manager.removeAllActions(withTarget: counter)
        #expect(!manager.canUndo)
        manager.endEventGroup()
        #expect(!manager.canUndo)
        manager.setActionName("Nothing")
        manager.endEventGroup()
        #expect(!manager.canUndo)
    }

    @Test("Removing all actions ends the group of the event")
    func removingAllActionsEndsTheEvent() {
        counter.set(1)
        manager.removeAllActions()
        #expect(manager.groupingLevel == 0)
        counter.set(2)
        manager.undo()
        #expect(counter.value == 1)
    }

    @Test("Undo and redo work inside and between events")
    func undoAndRedoInsideEvents() {
        counter.set(1)
        manager.endEventGroup()
        counter.set(2)
        manager.undo()
        #expect(counter.value == 1)
        manager.undo()
        #expect(counter.value == 0)
        manager.redo()
        manager.redo()
        #expect(counter.value == 2)
    }

    /// Off the main thread, and without a run loop, the group stays open.
    @Test("Without a run loop the group of the event stays open")
    func withoutARunLoopTheGroupStaysOpen() async {
        let level = await Task.detached {
            let manager = UndoManager()
            let counter = Counter(manager)
            counter.set(1)
            return manager.groupingLevel
        }.value
        #expect(level == 1)
    }

    @Test("The run loop closes the group of each event")
    func theRunLoopClosesTheGroup() async {
        let levels = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: UndoEventsTests.runTwoEvents()) }
        }
        #expect(levels == [1, 0, 1, 0])
    }

    /// Has a run loop deliver two events, and undoes one.
    ///
    /// - Returns: The grouping level inside and after each event.
    private static func runTwoEvents() -> [Int] {
        let manager = UndoManager()
        manager.eventRunLoop = .current
        nonisolated(unsafe) let counter = Counter(manager)
        nonisolated(unsafe) var levels: [Int] = []
        for value in 1...2 {
            RunLoop.current.perform {
                counter.set(value)
                counter.set(value * 10)
                levels.append(counter.undoManager.groupingLevel)
            }
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
            levels.append(manager.groupingLevel)
        }
        manager.undo()
        #expect(counter.value == 10)
        manager.undo()
        #expect(counter.value == 0)
        return levels
    }
}
