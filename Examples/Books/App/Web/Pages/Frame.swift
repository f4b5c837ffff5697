/// What every page has around its own part.
struct Frame {
    enum Area { case books, authors, changes, help, none }

    let title: String
    let token: String
    /// The address to come back to after an action.
    let address: String
    /// Where the page hears of changes; nil when it does not listen.
    let events: String?
    /// The state of the document that the page shows, or an older one.
    let revision: String
    let timeZone: String
    let isBooks: Bool
    let isAuthors: Bool
    let isChanges: Bool
    let isHelp: Bool
    let unsaved: UnsavedView
    let notice: String?

    init(
        _ title: String, area: Area, address: PageAddress, events: PageAddress? = nil, site: Site,
        visitor: Visitor, unsaved: UnsavedCounts, revision: String = "", notice: String? = nil
    ) {
        self.title = title
        token = site.token
        self.address = address.text
        self.events = events?.text
        self.revision = revision
        timeZone = visitor.timeZoneName
        isBooks = area == .books
        isAuthors = area == .authors
        isChanges = area == .changes
        isHelp = area == .help
        self.unsaved = UnsavedView(unsaved)
        self.notice = notice
    }
}

/// What is not saved, in words.
struct UnsavedView {
    let total: Int
    let hasChanges: Bool
    let words: String
    let canUndo: Bool
    let canRedo: Bool
    let undoTitle: String
    let redoTitle: String

    init(_ counts: UnsavedCounts) {
        total = counts.total
        hasChanges = counts.total > 0
        let parts = [(counts.new, "new"), (counts.changed, "changed"), (counts.deleted, "deleted")]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        words = parts.isEmpty ? "Everything is saved" : "Not saved: " + parts.joined(separator: ", ")
        canUndo = counts.canUndo
        canRedo = counts.canRedo
        undoTitle = counts.undoName.isEmpty ? "Undo" : "Undo \(counts.undoName)"
        redoTitle = counts.redoName.isEmpty ? "Redo" : "Redo \(counts.redoName)"
    }
}

/// What a page says after an action that led to it.
enum Notice: String {
    case added, changed, deleted, saved, undone, redone, discarded, renamed

    var sentence: String {
        switch self {
        case .added: "The book was added. It is not saved yet."
        case .changed: "The book was changed. It is not saved yet."
        case .deleted: "It will be deleted by the next save. Undo restores it."
        case .saved: "Everything is saved. Derived values are up to date."
        case .undone: "The last change was undone."
        case .redone: "The change was made again."
        case .discarded: "All unsaved changes were discarded."
        case .renamed: "The author was renamed. It is not saved yet."
        }
    }
}
