import CocoaFoundation
import Foundation

/// Listens to the checkpoints of an undo manager, as long as it lives.
final class UndoCheckpoints {
    private let token: any NSObjectProtocol

    init(_ manager: UndoManager, _ body: @escaping @Sendable () -> Void) {
        token = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
        ) { _ in body() }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}
