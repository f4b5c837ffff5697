import Foundation
import Testing

@testable import CocoaFoundation

/// What makes Apple's manager raise an exception stops the program here, each time in a process of its own.
@Suite struct UndoMisuseTests {
    @Test func closingAGroupThatIsNotOpen() async {
        await #expect(processExitsWith: .failure) { UndoManager().endUndoGrouping() }
    }

    @Test func enablingWhatIsNotDisabled() async {
        await #expect(processExitsWith: .failure) { UndoManager().enableUndoRegistration() }
    }

    @Test func registeringWithoutAGroup() async {
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.groupsByEvent = false
            manager.registerUndo(withTarget: manager) { _ in }
        }
    }

    @Test func undoingInsideAGroup() async {
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.beginUndoGrouping()
            manager.undo()
        }
    }

    @Test func undoingANestedGroupAfterAnAction() async {
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.registerUndo(withTarget: manager) { _ in }
            manager.undoNestedGroup()
        }
    }

    @Test func undoingInsideAnAction() async {
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.registerUndo(withTarget: manager) { $0.redo() }
            manager.undo()
        }
    }
}
