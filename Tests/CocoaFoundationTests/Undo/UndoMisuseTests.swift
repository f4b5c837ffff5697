import Foundation
import Testing

@testable import CocoaFoundation

/// What makes Apple's manager raise an exception stops the program here, each time in a process of its own.
@Suite struct UndoMisuseTests {
    @Test("Closing a group that is not open ends the process")
    func closingAGroupThatIsNotOpen() async {
        await #expect(processExitsWith: .failure) { UndoManager().endUndoGrouping() }
    }

    @Test("Enabling registration that is not disabled ends the process")
    func enablingWhatIsNotDisabled() async {
        await #expect(processExitsWith: .failure) { UndoManager().enableUndoRegistration() }
    }

    @Test("Registering without a group ends the process")
    func registeringWithoutAGroup() async {
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.groupsByEvent = false
            manager.registerUndo(withTarget: manager) { _ in }
        }
    }

    @Test("Undo inside a nested group ends the process")
    func undoingInsideAGroup() async {
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.beginUndoGrouping()
            manager.undo()
        }
    }

    @Test("Undoing a nested group after an action of the open group ends the process")
    func undoingANestedGroupAfterAnAction() async {
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.registerUndo(withTarget: manager) { _ in }
            manager.undoNestedGroup()
        }
    }

    @Test("Redo inside an undo action ends the process")
    func undoingInsideAnAction() async {
        await #expect(processExitsWith: .failure) {
            let manager = UndoManager()
            manager.registerUndo(withTarget: manager) { $0.redo() }
            manager.undo()
        }
    }
}
