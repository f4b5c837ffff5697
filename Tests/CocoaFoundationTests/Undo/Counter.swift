import Foundation

@testable import CocoaFoundation

/// An object whose changes are recorded.
final class Counter {
    let undoManager: UndoManager
    private(set) var value = 0

    init(_ undoManager: UndoManager) { self.undoManager = undoManager }

    func set(_ newValue: Int) {
        let previous = value
        undoManager.registerUndo(withTarget: self) { $0.set(previous) }
        value = newValue
    }
}

/// The notifications that an undo manager posts, as short names in their order.
final class UndoLog {
    private(set) var entries: [String] = []
    private var tokens: [any NSObjectProtocol] = []

    private static let names: [NSNotification.Name: String] = [
        .NSUndoManagerCheckpoint: "checkpoint", .NSUndoManagerDidOpenUndoGroup: "didOpen",
        .NSUndoManagerWillCloseUndoGroup: "willClose", .NSUndoManagerDidCloseUndoGroup: "didClose",
        .NSUndoManagerWillUndoChange: "willUndo", .NSUndoManagerDidUndoChange: "didUndo",
        .NSUndoManagerWillRedoChange: "willRedo", .NSUndoManagerDidRedoChange: "didRedo",
    ]

    init(_ manager: UndoManager) {
        for (name, text) in Self.names {
            // Undo managers post on the thread that uses them: this test's.
            nonisolated(unsafe) weak let log = self
            let token = NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
                let isDiscardable = $0.userInfo?[NSUndoManagerGroupIsDiscardableKey] as? Bool == true
                log?.add(isDiscardable ? text + " discardable" : text)
            }
            tokens.append(token)
        }
    }

    deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

    func add(_ entry: String) { entries.append(entry) }

    func take() -> [String] {
        defer { entries = [] }
        return entries
    }
}
