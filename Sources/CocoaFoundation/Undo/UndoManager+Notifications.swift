import Foundation

extension NSNotification.Name {
    /// An undo manager is about to open a nested group or to close a group, to undo or to redo, or its
    /// `canRedo` was read. Observers with actions still to register do so now.
    public static let NSUndoManagerCheckpoint = NSNotification.Name("NSUndoManagerCheckpointNotification")

    /// An undo manager is about to undo.
    public static let NSUndoManagerWillUndoChange = NSNotification.Name(
        "NSUndoManagerWillUndoChangeNotification")

    /// An undo manager is about to redo.
    public static let NSUndoManagerWillRedoChange = NSNotification.Name(
        "NSUndoManagerWillRedoChangeNotification")

    /// An undo manager has undone.
    public static let NSUndoManagerDidUndoChange = NSNotification.Name(
        "NSUndoManagerDidUndoChangeNotification")

    /// An undo manager has redone.
    public static let NSUndoManagerDidRedoChange = NSNotification.Name(
        "NSUndoManagerDidRedoChangeNotification")

    /// An undo manager has opened a group.
    public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name(
        "NSUndoManagerDidOpenUndoGroupNotification")

    /// An undo manager is about to close a group; ``NSUndoManagerGroupIsDiscardableKey`` may be in the user info.
    public static let NSUndoManagerWillCloseUndoGroup = NSNotification.Name(
        "NSUndoManagerWillCloseUndoGroupNotification")

    /// An undo manager has closed a group; ``NSUndoManagerGroupIsDiscardableKey`` may be in the user info.
    public static let NSUndoManagerDidCloseUndoGroup = NSNotification.Name(
        "NSUndoManagerDidCloseUndoGroupNotification")
}

/// The key in the user info of a notification about the closing of a group, with the number `true` when all
/// actions of the group may be discarded; see ``UndoManager/setActionIsDiscardable(_:)``.
public let NSUndoManagerGroupIsDiscardableKey: String = "NSUndoManagerGroupIsDiscardableKey"
