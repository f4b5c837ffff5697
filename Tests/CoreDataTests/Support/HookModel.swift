import CoreData
import Foundation

/// A model whose objects note each hook that is called, and run what a test wants to happen there.
///
/// Entries form trees: `parent` and `children`, which go with their parent.
enum HookModel {
    static func model() -> NSManagedObjectModel {
        let entry = NSEntityDescription.make("Entry", class: Entry.self, [])
        let parent = NSRelationshipDescription.toOne("parent")
        let children = NSRelationshipDescription.toMany("children", rule: .cascadeDeleteRule)
        parent.joined(from: entry, to: entry, inverse: children)
        entry.properties = [
            Library.attribute("title", .string),
            Library.attribute("number", .integer64, defaultValue: 3),
            Library.transient("mark", .string),
            Library.transient("level", .integer16, defaultValue: 9),
            parent, children,
        ]
        return .of(entry)
    }
}

/// What happened to the entries of a context. A context has it in its `userInfo` under "hooks".
final class Hooks: @unchecked Sendable {
    private let lock = NSLock()
    private var noted: [String] = []
    var onAwakeFromInsert: ((Entry) -> Void)?
    var onAwakeFromFetch: ((Entry) -> Void)?
    var onPrepareForDeletion: ((Entry) -> Void)?
    var onWillSave: ((Entry) -> Void)?
    var onDidSave: ((Entry) -> Void)?
    var onWillTurnIntoFault: ((Entry) -> Void)?
    var onDidTurnIntoFault: ((Entry) -> Void)?

    /// What was noted since the last time, in order.
    func take() -> [String] {
        lock.withLock {
            defer { noted = [] }
            return noted
        }
    }

    func note(_ text: String) { lock.withLock { noted.append(text) } }
}

final class Entry: NSManagedObject {
    static let titleKey = ManagedKey<String?>("title")
    static let numberKey = ManagedKey<Int>("number")
    static let markKey = ManagedKey<String?>("mark")
    static let levelKey = ManagedKey<Int>("level")
    static let parentKey = ManagedKey<Entry?>("parent")
    static let childrenKey = ManagedKey<Set<Entry>>("children")

    var title: String? {
        get { self[Self.titleKey] }
        set { self[Self.titleKey] = newValue }
    }
    var number: Int {
        get { self[Self.numberKey] }
        set { self[Self.numberKey] = newValue }
    }
    var mark: String? {
        get { self[Self.markKey] }
        set { self[Self.markKey] = newValue }
    }
    var level: Int {
        get { self[Self.levelKey] }
        set { self[Self.levelKey] = newValue }
    }
    var parent: Entry? {
        get { self[Self.parentKey] }
        set { self[Self.parentKey] = newValue }
    }
    var children: Set<Entry> {
        get { self[Self.childrenKey] }
        set { self[Self.childrenKey] = newValue }
    }

    /// Kept, as there is no context any more when the object is released.
    private var keptHooks: Hooks?

    private var hooks: Hooks? {
        if keptHooks == nil { keptHooks = managedObjectContext?.userInfo["hooks"] as? Hooks }
        return keptHooks
    }

    private func note(_ hook: String) { hooks?.note("\(hook) \(self[primitive: Self.titleKey] ?? "-")") }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        hooks?.note("awakeFromInsert")
        hooks?.onAwakeFromInsert?(self)
    }

    override func awakeFromFetch() {
        super.awakeFromFetch()
        note("awakeFromFetch")
        hooks?.onAwakeFromFetch?(self)
    }

    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        note("awake(\(flags.rawValue))")
    }

    override func prepareForDeletion() {
        super.prepareForDeletion()
        note("prepareForDeletion")
        hooks?.onPrepareForDeletion?(self)
    }

    override func willSave() {
        super.willSave()
        note("willSave")
        hooks?.onWillSave?(self)
    }

    override func didSave() {
        super.didSave()
        note("didSave")
        hooks?.onDidSave?(self)
    }

    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        note("willTurnIntoFault")
        hooks?.onWillTurnIntoFault?(self)
    }

    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        hooks?.note("didTurnIntoFault")
        hooks?.onDidTurnIntoFault?(self)
    }
}

/// A stack with the model of hooks, and a context whose entries note their hooks.
final class HookStack: @unchecked Sendable {
    let stack: TestStack
    let context: NSManagedObjectContext
    let hooks = Hooks()

    init() throws {
        stack = try TestStack(HookModel.model())
        context = stack.context()
        context.userInfo["hooks"] = hooks
    }

    /// Runs a block as an event of the context.
    @discardableResult
    func event<Value>(_ body: (NSManagedObjectContext) throws -> Value) rethrows -> Value {
        try context.performAndWait { try body(context) }
    }

    /// A new entry with a title, saved.
    func savedEntry(_ title: String, parent: Entry? = nil) throws -> Entry {
        try event { context in
            let entry = Entry(context: context)
            entry.title = title
            entry.parent = parent
            try context.save()
            return entry
        }
    }

    /// What another context finds under this title.
    func stored<Value>(_ title: String, _ read: (Entry) throws -> Value) throws -> Value? {
        try stack.inContext { context in
            let request = NSFetchRequest<Entry>(entityName: "Entry")
            request.predicate = NSPredicate(format: "title == %@", title)
            return try context.fetch(request).first.map(read)
        }
    }
}
