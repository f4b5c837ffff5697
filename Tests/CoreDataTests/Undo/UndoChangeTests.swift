import CoreData
import Testing

/// Changes of values and links, taken back and made again.
@Suite(.onEveryStore) struct UndoChangeTests {
    private let diary: HookStack

    init() throws {
        diary = try HookStack()
        diary.event { $0.undoManager = UndoManager() }
    }

    private func undo() { diary.event { $0.undo() } }
    private func redo() { diary.event { $0.redo() } }

    /// A saved entry, whose insertion is not an undo step.
    private func entry(_ title: String, parent: Entry? = nil) throws -> Entry {
        let entry = try diary.savedEntry(title, parent: parent)
        diary.event { $0.undoManager?.removeAllActions() }
        return entry
    }

    @Test("All changes of an event are undone as one step")
    func eventIsOneStep() throws {
        let entry = try entry("a")
        diary.event { _ in
            entry.title = "b"
            entry.title = "c"
            entry.number = 5
        }
        undo()
        diary.event { context in
            #expect(entry.title == "a" && entry.number == 3)
            #expect(entry.changedValues().isEmpty && context.undoManager?.canUndo == false)
        }
        redo()
        diary.event { _ in #expect(entry.title == "c" && entry.number == 5 && entry.isUpdated) }
    }

    @Test("Events are undone in reverse and redone in order")
    func eventsAreUndoneLastFirst() throws {
        let entry = try entry("a")
        for number in 10...13 { diary.event { _ in entry.number = number } }
        var seen: [Int] = []
        for _ in 0..<5 {
            undo()
            seen.append(diary.event { _ in entry.number })
        }
        for _ in 0..<5 {
            redo()
            seen.append(diary.event { _ in entry.number })
        }
        #expect(seen == [12, 11, 10, 3, 3, 10, 11, 12, 13, 13])
    }

    @Test("A new change leaves nothing to redo")
    func newChangeClearsRedo() throws {
        let entry = try entry("a")
        diary.event { _ in entry.number = 10 }
        undo()
        diary.event { _ in entry.title = "b" }
        diary.event { #expect($0.undoManager?.canRedo == false) }
        redo()
        diary.event { _ in #expect(entry.number == 3 && entry.title == "b") }
    }

    @Test("Setting an equal value, or setting it back, is not undoable")
    func equalValueIsNotAStep() throws {
        let entry = try entry("a")
        diary.event { _ in entry.title = "a" }
        diary.event { _ in
            entry.number = 9
            entry.number = 3
        }
        diary.event { #expect($0.undoManager?.canUndo == false) }
    }

    @Test("Setting nil can be undone and redone")
    func nilIsUndone() throws {
        let entry = try entry("a")
        diary.event { _ in entry.title = nil }
        undo()
        diary.event { _ in #expect(entry.title == "a") }
        redo()
        diary.event { _ in #expect(entry.title == nil) }
    }

    @Test("Undoing a saved change marks the object as changed")
    func savedChangeIsUndone() throws {
        let entry = try entry("a")
        diary.event { _ in entry.number = 10 }
        try diary.event { try $0.save() }
        undo()
        diary.event { context in
            #expect(entry.number == 3 && entry.isUpdated && context.hasChanges)
            #expect(entry.changedValues()["number"] as? Int == 3)
        }
        try diary.event { try $0.save() }
        #expect(try diary.stored("a", \.number) == 3)
        redo()
        try diary.event { try $0.save() }
        #expect(try diary.stored("a", \.number) == 10)
    }

    @Test("A change can be undone after the object became a fault")
    func changeOfAFaultIsUndone() throws {
        let entry = try entry("a")
        diary.event { _ in entry.number = 10 }
        try diary.event { try $0.save() }
        diary.event { $0.refresh(entry, mergeChanges: false) }
        undo()
        diary.event { _ in #expect(entry.number == 3 && entry.title == "a") }
    }

    // MARK: Links

    @Test("Undoing a move restores all ends of the relationship")
    func moveIsUndoneAtAllEnds() throws {
        let (one, two) = (try entry("one"), try entry("two"))
        let child = try entry("child", parent: one)
        diary.event { _ in child.parent = two }
        undo()
        diary.event { _ in
            #expect(child.parent === one && one.children == [child] && two.children.isEmpty)
            #expect(!child.hasPersistentChangedValues && !two.hasPersistentChangedValues)
        }
        redo()
        diary.event { _ in
            #expect(child.parent === two && two.children == [child] && one.children.isEmpty)
        }
        try diary.event { try $0.save() }
        #expect(try diary.stored("child", \.parent?.title) == "two")
    }

    @Test("Replacing the members of a set can be undone and redone")
    func replacedSetIsUndone() throws {
        let parent = try entry("parent")
        let (a, b) = (try entry("a", parent: parent), try entry("b", parent: parent))
        let c = try entry("c")
        diary.event { _ in parent.children = [b, c] }
        undo()
        diary.event { _ in
            #expect(parent.children == [a, b] && a.parent === parent && c.parent == nil)
        }
        redo()
        diary.event { _ in #expect(parent.children == [b, c] && a.parent == nil && c.parent === parent) }
    }

    @Test("Removing an object that is not a member is not a change")
    func removingANonMember() throws {
        let (one, two) = (try entry("one"), try entry("two"))
        let child = try entry("child", parent: two)
        // The children of one are not loaded.
        diary.event { $0.refresh(one, mergeChanges: false) }
        diary.event { _ in one.mutableSetValue(forKey: "children").remove(child) }
        diary.event { context in
            #expect(one.children.isEmpty && child.parent === two)
            #expect(context.undoManager?.canUndo == false)
        }
        undo()
        diary.event { _ in
            #expect(one.children.isEmpty && two.children == [child] && child.parent === two)
        }
    }

    @Test("Changes of order and of many-to-many relationships can be undone")
    func ordersAndManyToMany() throws {
        let stack = try TestStack(Graph.model())
        try stack.inContext { context in
            let node = try context.insert("Node", ["name": "n"])
            let tags = try ["x", "y", "z"].map { try context.insert("Tag", ["name": $0]) }
            node.setValue(NSOrderedSet(array: tags), forKey: "ranking")
            node.setValue(Set([tags[0]]), forKey: "tags")
            try context.save()
            context.undoManager = UndoManager()
            node.mutableOrderedSetValue(forKey: "ranking").exchangeObject(at: 0, withObjectAt: 2)
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
            node.mutableOrderedSetValue(forKey: "ranking").remove(tags[1])
            node.setValue(Set([tags[1], tags[2]]), forKey: "tags")
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
            #expect(node.names("ranking") == ["z", "x"] && tags[1].many("rankedBy").isEmpty)
            context.undo()
            #expect(node.names("ranking") == ["z", "y", "x"] && node.names("tags") == ["x"])
            #expect(tags[1].many("rankedBy") == [node] && tags[1].many("nodes").isEmpty)
            context.undo()
            #expect(node.names("ranking") == ["x", "y", "z"] && !node.hasPersistentChangedValues)
            context.redo()
            context.redo()
            #expect(node.names("ranking") == ["z", "x"] && node.names("tags") == ["y", "z"])
            try context.save()
        }
        try stack.inContext { context throws in
            #expect(try context.only("Node").names("ranking") == ["z", "x"])
            #expect(try context.only("Node").names("tags") == ["y", "z"])
        }
    }

    // MARK: Transient attributes

    @Test("Changes of transient attributes can be undone and redone")
    func transientValuesAreUndone() throws {
        let entry = try entry("a")
        diary.event { _ in
            entry.mark = "m"
            entry.level = 1
        }
        undo()
        diary.event { context in
            #expect(entry.mark == nil && entry.level == 9)
            #expect(!entry.hasPersistentChangedValues)
        }
        redo()
        diary.event { _ in #expect(entry.mark == "m" && entry.level == 1) }
        try diary.event { try $0.save() }
        undo()
        diary.event { _ in #expect(entry.mark == nil && entry.level == 9) }
    }
}
