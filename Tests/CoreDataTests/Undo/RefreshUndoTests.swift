import CoreData
import Testing

/// Undoing an event that refreshed one end of a link that it had changed.
@Suite(.onEveryStore) struct RefreshUndoTests {
    private let diary: HookStack
    private let mother: Entry
    private let father: Entry
    private let child: Entry

    init() throws {
        diary = try HookStack()
        mother = try diary.savedEntry("mother")
        father = try diary.savedEntry("father")
        child = try diary.savedEntry("child", parent: mother)
        diary.event { $0.undoManager = UndoManager() }
    }

    /// Has the children loaded, or not.
    private func begin(loaded: Bool) {
        diary.event { context in
            context.refreshAllObjects()
            if loaded { _ = (mother.children, father.children) }
            context.undoManager?.removeAllActions()
        }
    }

    private func undo() { diary.event { $0.undo() } }

    private func refresh(_ entry: Entry) { diary.context.refresh(entry, mergeChanges: false) }

    /// Whether both ends say that the child is an entry's, and who counts as changed.
    private func expect(
        _ parent: Entry, changed: [Entry] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        diary.event { _ in
            let entries = [mother, father, child]
            #expect(entries.filter(\.hasPersistentChangedValues) == changed, sourceLocation: sourceLocation)
            #expect(child.parent === parent, sourceLocation: sourceLocation)
            for entry in [mother, father] {
                #expect(entry.children == (entry === parent ? [child] : []), sourceLocation: sourceLocation)
            }
        }
    }

    @Test("Undo and redo work after the to-many end was refreshed", arguments: [false, true])
    func refreshedToManyEnd(_ loaded: Bool) throws {
        begin(loaded: loaded)
        diary.event { _ in
            child.parent = father
            father.number = 50
            refresh(father)
            refresh(mother)
            #expect(father.number == 3)
        }
        expect(father, changed: [mother, father, child])
        undo()
        expect(mother)
        diary.event { $0.redo() }
        expect(father, changed: [mother, father, child])
        try diary.event { try $0.save() }
        #expect(try diary.stored("child") { $0.parent?.title } == "father")
    }

    @Test("A change discarded by refreshing the to-one end is not undoable", arguments: [false, true])
    func refreshedToOneEnd(_ loaded: Bool) throws {
        begin(loaded: loaded)
        diary.event { _ in
            child.parent = father
            refresh(child)
        }
        expect(mother)
        diary.event { #expect($0.undoManager?.canUndo == false) }
        diary.event { _ in child.title = "renamed" }
        diary.event { _ in
            child.parent = father
            refresh(father)
            refresh(child)
        }
        undo()
        expect(mother)
    }

    @Test("Undoing a change that a later refresh discarded changes nothing", arguments: [false, true])
    func laterRefreshIsNotUndoneTwice(_ loaded: Bool)
        throws
    {
        begin(loaded: loaded)
        diary.event { _ in child.parent = father }
        diary.event { _ in refresh(child) }
        expect(mother)
        undo()
        expect(mother)
    }

    @Test("A change back to the stored destination can be undone", arguments: [false, true])
    func storedRelationshipIsUndone(_ loaded: Bool) throws {
        begin(loaded: loaded)
        diary.event { _ in child.parent = father }
        diary.event { _ in
            child.parent = mother
            refresh(mother)
            refresh(father)
        }
        expect(mother)
        undo()
        expect(father, changed: [mother, father, child])
        undo()
        expect(mother)
    }

    @Test(
        "Undo reverts the other changes of an event whose to-one end was refreshed", arguments: [false, true])
    func refreshedChildIsUndoneWithTheRest(_ loaded: Bool) throws {
        begin(loaded: loaded)
        let aunt = try diary.savedEntry("aunt")
        diary.event { _ in child.parent = father }
        diary.event { _ in
            child.parent = aunt
            aunt.number = 50
            refresh(child)
        }
        expect(mother)
        undo()
        expect(mother)
        diary.event { _ in #expect(aunt.children.isEmpty && aunt.number == 3) }
        undo()
        expect(mother)
    }
}
