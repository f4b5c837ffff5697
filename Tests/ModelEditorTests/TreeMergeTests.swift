import ModelTools
import Testing

@testable import ModelEditor

/// Merges of trees.
@Suite struct TreeMergeTests {
    private static func merge(
        _ base: String, _ mine: String, _ theirs: String, _ choices: [String: TreeMerge.Side] = [:]
    ) throws -> (text: String, differences: [TreeMerge.Difference]) {
        let merge = TreeMerge.merge(
            base: try TestModel.tree(base), mine: try TestModel.tree(mine),
            theirs: try TestModel.tree(theirs),
            choices: choices)
        return (try TestModel.text(merge.tree), merge.differences)
    }

    @Test("The same change on both sides is not a difference")
    func equalChangesAreNotDifferences() throws {
        let merge = try Self.merge("<a x='1'/>", "<a x='2'/>", "<a x='2'/>")
        #expect(merge.text == #"<a x="2"/>"#)
        #expect(merge.differences.isEmpty)
    }

    @Test("A change of one side is adopted")
    func changesOfOneSide() throws {
        let merge = try Self.merge(
            "<entity name='E' x='1' y='1'/>", "<entity name='E' x='2' y='1'/>",
            "<entity name='E' x='1' y='2' z='3'/>")
        #expect(merge.text == #"<entity name="E" x="2" y="2" z="3"/>"#)
        #expect(merge.differences.map(\.taken) == [.mine, .theirs, .theirs])
        #expect(merge.differences.allSatisfy { !$0.isConflict && $0.location == "E" })
    }

    @Test("Additions and removals of both sides are adopted")
    func additionsAndRemovals() throws {
        let merge = try Self.merge(
            "<entity name='A'/><entity name='B'/><entity name='C'/>",
            "<entity name='A'/><entity name='C'/><entity name='M'/>",
            "<entity name='A'/><entity name='B'/><entity name='T'/>")
        #expect(merge.text == #"<entity name="A"/><entity name="T"/><entity name="M"/>"#)
    }

    @Test("A conflict takes the chosen side, ours by default")
    func aConflictIsDecided() throws {
        let (base, mine, theirs) = (
            "<entity name='E' x='1'/>", "<entity name='E' x='2'/>", "<entity name='E' x='3'/>"
        )
        let merge = try Self.merge(base, mine, theirs)
        #expect(merge.text == #"<entity name="E" x="2"/>"#)
        let conflict = try #require(merge.differences.first)
        #expect(conflict.isConflict && merge.differences.count == 1)
        #expect(
            try Self.merge(base, mine, theirs, [conflict.id: .theirs]).text == #"<entity name="E" x="3"/>"#)
    }

    @Test("Removing an element that the other side changed is a conflict")
    func removedHereAndChangedThereIsAConflict() throws {
        let (base, theirs) = ("<entity name='E' x='1'/>", "<entity name='E' x='3'/>")
        let merge = try Self.merge(base, "", theirs)
        let conflict = try #require(merge.differences.first)
        #expect(conflict.isConflict && conflict.mine == nil && conflict.theirs == "<entity>")
        #expect(merge.text == "")
        #expect(try Self.merge(base, "", theirs, [conflict.id: .theirs]).text == #"<entity name="E" x="3"/>"#)
    }

    @Test("Elements that both sides add with one name are merged")
    func bothAddingTheSameNameIsMergedWithin() throws {
        let merge = try Self.merge(
            "", "<entity name='E' x='1'><attribute name='a'/></entity>",
            "<entity name='E' x='1'><attribute name='b'/></entity>")
        #expect(
            merge.text.contains(#"<attribute name="a"/>"#) && merge.text.contains(#"<attribute name="b"/>"#))
    }

    @Test("A list is taken whole from one side, and changed by both it is a conflict")
    func aListIsOneSidesOrTheOthers() throws {
        func index(_ names: String...) -> String {
            "<fetchIndex name='i'>" + names.map { "<fetchIndexElement property='\($0)'/>" }.joined()
                + "</fetchIndex>"
        }
        func text(_ names: String...) -> String {
            #"<fetchIndex name="i">"# + names.map { #"<fetchIndexElement property="\#($0)"/>"# }.joined()
                + "</fetchIndex>"
        }
        let taken = try Self.merge(index("a", "b"), index("a", "b"), index("b", "a"))
        #expect(taken.text == text("b", "a"))
        #expect(taken.differences.map(\.isConflict) == [false])
        let both = try Self.merge(index("a", "b"), index("a", "b", "c"), index("b", "a"))
        let conflict = try #require(both.differences.first)
        #expect(both.differences.count == 1 && conflict.isConflict)
        #expect(conflict.mine == "a; b; c" && conflict.theirs == "b; a")
        let chosen = try Self.merge(
            index("a", "b"), index("a", "b", "c"), index("b", "a"), [conflict.id: .theirs])
        #expect(chosen.text == text("b", "a"))
    }

    @Test("Elements with the same name are merged separately")
    func elementsOfOneNameAreKeptApart() throws {
        let merge = try Self.merge(
            "<e name='x' v='1'/><e name='x' v='2'/>", "<e name='x' v='1'/><e name='x' v='5'/>",
            "<e name='x' v='4'/><e name='x' v='2'/>")
        #expect(merge.text == #"<e name="x" v="4"/><e name="x" v="5"/>"#)
    }
}
