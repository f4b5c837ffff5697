import Foundation

/// Records actions that revert changes, and performs them.
///
/// Code that changes an object registers an action that changes it back. Actions are collected in groups; ``undo()``
/// performs the actions of the last group, in reverse. What they register meanwhile goes to the redo stack, so
/// that ``redo()`` works without further ado.
///
/// ```swift
/// func setTitle(_ title: String) {
///     let previous = self.title
///     undoManager.registerUndo(withTarget: self) { $0.setTitle(previous) }
///     self.title = title
/// }
/// ```
///
/// **Events.** While ``groupsByEvent`` is `true`, the default, what one event of the user changes is one group: it
/// is opened by the first registration and by the first ``beginUndoGrouping()``, whose group is nested in it.
/// Apple's manager closes it at the end of the pass of the run loop. On Linux, often no run loop runs. There the
/// group is closed
/// - by ``undo()``;
/// - by code that knows that an event is over: a managed object context does it for its own manager after each
///   `perform`;
/// - at the end of the pass, if the main run loop is running and the group was opened on the main thread.
///
/// Without any of these all changes are one group, just as with Apple's manager on a thread whose run loop does
/// not turn. Set ``groupsByEvent`` to `false` and open groups yourself then.
///
/// **Targets** are not retained. An action whose target is gone does nothing.
///
/// **Misuse** that makes Apple's manager raise an exception stops the program with a sentence: closing a group
/// that was not opened, registering without a group when there are none for events, undoing while nested groups
/// are open, undoing or redoing from inside an action.
///
/// A manager belongs to one thread or queue: that of the objects whose changes it records.
open class UndoManager: NSObject {
    private enum Activity { case recording, undoing, redoing }

    private var activity = Activity.recording
    private var undoStack = UndoStack()
    private var redoStack = UndoStack()
    /// The groups that are open, the outermost first. While undoing or redoing, the outermost one takes what the
    /// performed actions register.
    private var openGroups: [UndoGroup] = []
    /// The groups whose actions are being performed, the innermost last. An action is removed before it is
    /// performed, so that what is forgotten meanwhile is not performed.
    private var performedGroups: [UndoGroup] = []
    private var disablingCount = 0
    private var awaitsEndOfPass = false
    private var assignedRunLoop: RunLoop?

    /// Makes a manager without actions.
    public override init() { super.init() }

    // MARK: Groups

    /// How many groups are open.
    open var groupingLevel: Int { openGroups.count }

    /// Whether each event has a group of its own. The default is `true`.
    open var groupsByEvent = true

    /// The modes in which the run loop closes the group of an event. The default is the default mode.
    open var runLoopModes: [RunLoop.Mode] = [.default]

    /// How many top-level groups are kept, the oldest being forgotten first; 0, the default, for all of them.
    open var levelsOfUndo: Int {
        get { undoStack.limit }
        set {
            undoStack.limit = newValue
            redoStack.limit = newValue
        }
    }

    /// Opens a group, nested in those that are open.
    ///
    /// Posts `NSUndoManagerCheckpoint`, unless the group is at the top level, and then
    /// `NSUndoManagerDidOpenUndoGroup`.
    open func beginUndoGrouping() {
        if openGroups.isEmpty && groupsByEvent { openEventGroup() }
        if !openGroups.isEmpty { post(.NSUndoManagerCheckpoint) }
        openGroups.append(UndoGroup())
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the group that was opened last.
    ///
    /// Posts `NSUndoManagerCheckpoint`, `NSUndoManagerWillCloseUndoGroup` and `NSUndoManagerDidCloseUndoGroup`. A
    /// group without actions is kept, as Apple's manager keeps it; only that of an event is not.
    ///
    /// Stops the program when no group is open.
    open func endUndoGrouping() {
        require(
            groupingLevel > (activity == .recording ? 0 : 1),
            "endUndoGrouping() was called without a beginUndoGrouping() before it.")
        post(.NSUndoManagerCheckpoint)
        let userInfo =
            openGroups.last?.isDiscardable == true ? [NSUndoManagerGroupIsDiscardableKey: true] : nil
        post(.NSUndoManagerWillCloseUndoGroup, userInfo)
        guard let group = openGroups.popLast() else { return }
        if let outer = openGroups.last {
            outer.entries.append(.group(group))
        } else if !(group.isEventGroup && group.isEmpty) {
            undoStack.push(group)
        }
        post(.NSUndoManagerDidCloseUndoGroup, userInfo)
    }

    /// Closes the group of the event that is over, if it is open and no other one in it is.
    ///
    /// For code that knows when an event ends; see ``UndoManager``.
    package func endEventGroup() {
        guard activity == .recording, openGroups.count == 1, openGroups[0].isEventGroup else { return }
        endUndoGrouping()
    }

    private func openEventGroup() {
        openGroups.append(UndoGroup(isEventGroup: true))
        scheduleEndOfEvent()
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// The run loop whose passes are events: that of the main thread, when the manager is used there.
    ///
    /// Those of other threads are not looked for. Asking makes one, with its own file descriptors, for each thread
    /// that had none, and on a server no thread has any.
    var eventRunLoop: RunLoop? {
        get { assignedRunLoop ?? (Thread.isMainThread ? .main : nil) }
        set { assignedRunLoop = newValue }
    }

    /// Has the event's group closed when the pass of the run loop ends, if there is one under way.
    private func scheduleEndOfEvent() {
        guard !awaitsEndOfPass, let runLoop = eventRunLoop, runLoop.currentMode != nil else { return }
        awaitsEndOfPass = true
        // The block runs on the run loop's thread, where this manager is used: it does not leave its thread.
        nonisolated(unsafe) weak let manager = self
        runLoop.perform(inModes: runLoopModes) {
            manager?.awaitsEndOfPass = false
            manager?.endEventGroup()
        }
    }

    // MARK: Registering

    /// Whether actions are recorded; see ``disableUndoRegistration()``.
    open var isUndoRegistrationEnabled: Bool { disablingCount == 0 }

    /// Stops recording until ``enableUndoRegistration()`` was called as often as this method.
    open func disableUndoRegistration() { disablingCount += 1 }

    /// Reverts one call of ``disableUndoRegistration()``. Stops the program when there was none.
    open func enableUndoRegistration() {
        require(
            disablingCount > 0,
            "enableUndoRegistration() was called without a disableUndoRegistration() before it.")
        disablingCount -= 1
    }

    /// Records an action in the open group, unless recording is disabled, and empties the redo stack.
    ///
    /// An action that is recorded while another one is being undone goes to the redo stack, and while one is being
    /// redone to the undo stack. Stops the program when no group is open and ``groupsByEvent`` is `false`.
    ///
    /// - Parameters:
    ///   - target: The object to change back. It is not retained, and without it the action does nothing.
    ///   - handler: What changes it back; it is given the target. It is kept as long as the action.
    public func registerUndo<TargetType: AnyObject>(
        withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
        guard isUndoRegistrationEnabled else { return }
        if openGroups.isEmpty {
            require(
                groupsByEvent,
                "A group must be opened by beginUndoGrouping() before an action is registered when groupsByEvent is "
                    + "false.")
            openEventGroup()
        }
        openGroups.last?.append(target) { target in
            if let target = target as? TargetType { handler(target) }
        }
        if activity == .recording { redoStack.removeAll() }
    }

    /// Not available: it needs the message forwarding of Objective-C.
    @available(*, unavailable, message: "Use registerUndo(withTarget:handler:)")
    public func prepare(withInvocationTarget target: Any) -> Any { target }

    /// Forgets all actions and enables recording. Groups that were opened by hand stay open, without actions.
    open func removeAllActions() {
        undoStack.removeAll()
        redoStack.removeAll()
        for group in openGroups + performedGroups { group.entries.removeAll() }
        if openGroups.count == 1, openGroups[0].isEventGroup { openGroups.removeAll() }
        disablingCount = 0
    }

    /// Forgets all actions of a target, and the groups that have no other ones.
    open func removeAllActions(withTarget target: Any) {
        let identity = ObjectIdentifier(target as AnyObject)
        undoStack.removeActions(of: identity)
        redoStack.removeActions(of: identity)
        for group in openGroups + performedGroups { group.removeActions(of: identity) }
    }

    // MARK: Undoing and redoing

    /// Whether there is anything to undo, in a closed or an open group.
    open var canUndo: Bool {
        openGroups.contains { !$0.isEmpty && !$0.isObsolete } || undoStack.latest() != nil
    }

    /// Whether there is anything to redo. Posts `NSUndoManagerCheckpoint` before, because an action that is
    /// registered then leaves nothing to redo.
    open var canRedo: Bool {
        post(.NSUndoManagerCheckpoint)
        return redoStack.latest() != nil
    }

    /// Whether actions are being undone.
    open var isUndoing: Bool { activity == .undoing }

    /// Whether actions are being redone.
    open var isRedoing: Bool { activity == .redoing }

    /// Closes the top-level group if it is open and undoes the last top-level group. Does nothing when there is none.
    ///
    /// Posts `NSUndoManagerCheckpoint`, what ``endUndoGrouping()`` posts, `NSUndoManagerWillUndoChange` and, after
    /// all actions were performed, `NSUndoManagerDidUndoChange`.
    ///
    /// Stops the program when nested groups are open and when called while undoing or redoing.
    open func undo() {
        checkIsRecording("undo()")
        post(.NSUndoManagerCheckpoint)
        if openGroups.count == 1 { endUndoGrouping() }
        require(
            openGroups.isEmpty,
            "undo() was called while \(groupingLevel) groups are open; close those that you opened by "
                + "endUndoGrouping(), or call undoNestedGroup().")
        undoLastGroup()
    }

    /// Undoes the last group that was closed, also a nested one, as a single group of the redo stack. Does nothing
    /// when there is none.
    ///
    /// Posts `NSUndoManagerCheckpoint`, `NSUndoManagerWillUndoChange` and `NSUndoManagerDidUndoChange`.
    ///
    /// Stops the program when actions were registered after the last group was closed, and when called while
    /// undoing or redoing.
    open func undoNestedGroup() {
        checkIsRecording("undoNestedGroup()")
        post(.NSUndoManagerCheckpoint)
        undoLastGroup()
    }

    /// Redoes what was undone last. Does nothing when there is nothing to redo.
    ///
    /// Posts `NSUndoManagerCheckpoint`, `NSUndoManagerWillRedoChange` and, after all actions were performed,
    /// `NSUndoManagerDidRedoChange`.
    ///
    /// Stops the program when called while undoing or redoing.
    open func redo() {
        checkIsRecording("redo()")
        post(.NSUndoManagerCheckpoint)
        guard redoStack.latest() != nil else { return }
        post(.NSUndoManagerWillRedoChange)
        if let group = redoStack.pop(), let counterpart = perform(group, as: .redoing) {
            undoStack.push(counterpart)
        }
        post(.NSUndoManagerDidRedoChange)
    }

    private func checkIsRecording(_ call: String) {
        require(activity == .recording, "\(call) was called while undoing or redoing.")
    }

    private func undoLastGroup() {
        guard lastClosedGroup() != nil else { return }
        post(.NSUndoManagerWillUndoChange)
        if let group = takeLastClosedGroup(), let counterpart = perform(group, as: .undoing) {
            redoStack.push(counterpart)
        }
        post(.NSUndoManagerDidUndoChange)
    }

    private func lastClosedGroup() -> UndoGroup? {
        guard let open = openGroups.last else { return undoStack.latest() }
        switch open.entries.last {
        case .group(let nested): return nested
        case nil: return nil
        case .action:
            fatalError(
                "undoNestedGroup() was called after actions were registered and before their group was closed."
            )
        }
    }

    private func takeLastClosedGroup() -> UndoGroup? {
        guard let group = lastClosedGroup() else { return nil }
        if let open = openGroups.last { open.entries.removeLast() } else { _ = undoStack.pop() }
        return group
    }

    /// Performs the actions of a group, the last one first.
    ///
    /// - Returns: The group of what they registered, with the name of the performed one unless they gave it
    ///   another; `nil` when they registered nothing.
    private func perform(_ group: UndoGroup, as activity: Activity) -> UndoGroup? {
        let counterpart = UndoGroup()
        let isDiscardable = group.isDiscardable
        let interrupted = openGroups
        openGroups = [counterpart]
        performedGroups = [group]
        self.activity = activity
        while let innermost = performedGroups.last {
            switch innermost.entries.popLast() {
            case .action(let action): if let target = action.target { action.handler(target) }
            case .group(let nested): performedGroups.append(nested)
            case nil: performedGroups.removeLast()
            }
        }
        require(
            openGroups.count == 1,
            "A performed action opened a group by beginUndoGrouping() and did not close it.")
        self.activity = .recording
        openGroups = interrupted
        if counterpart.name.isEmpty { counterpart.name = group.name }
        if isDiscardable { counterpart.makeDiscardable() }
        return counterpart.isEmpty ? nil : counterpart
    }

    // MARK: Names

    /// The name of what ``undo()`` undoes; empty without a name and when there is nothing to undo.
    open var undoActionName: String { groupToUndo?.name ?? "" }

    /// The name of what ``redo()`` redoes; empty without a name and when there is nothing to redo.
    open var redoActionName: String { redoStack.latest()?.name ?? "" }

    /// Names what is being recorded, or, when no group is open or to be opened, what was recorded last.
    ///
    /// - Parameter actionName: The name; empty for none.
    open func setActionName(_ actionName: String) {
        if openGroups.isEmpty && groupsByEvent { openEventGroup() }
        for group in openGroups { group.name = actionName }
        if openGroups.isEmpty { undoStack.latest()?.name = actionName }
    }

    /// The title of a command that undoes: ``undoMenuTitle(forUndoActionName:)`` of the ``undoActionName``.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of a command that redoes: ``redoMenuTitle(forUndoActionName:)`` of the ``redoActionName``.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// "Undo" and a name, in English. Override it to translate.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// "Redo" and a name, in English. Override it to translate.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    private var groupToUndo: UndoGroup? {
        openGroups.first { !$0.isEmpty } ?? undoStack.latest()
    }

    // MARK: Discardable actions

    /// Says whether the latest action may be lost when a document cannot be saved, such as one that changes what
    /// part of it is shown. Without an action in the open group, the next one is meant.
    open func setActionIsDiscardable(_ discardable: Bool) {
        if openGroups.isEmpty && groupsByEvent { openEventGroup() }
        (openGroups.last ?? undoStack.latest())?.setLatestIsDiscardable(discardable)
    }

    /// Whether all that ``undo()`` would undo may be discarded.
    open var undoActionIsDiscardable: Bool { groupToUndo?.isDiscardable ?? false }

    /// Whether all that ``redo()`` would redo may be discarded.
    open var redoActionIsDiscardable: Bool { redoStack.latest()?.isDiscardable ?? false }

    private func post(_ name: NSNotification.Name, _ userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}
