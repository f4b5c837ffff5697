import CocoaFoundation
import Foundation
import Testing

@testable import StoreBrowser

/// Trees of archives that anyone may have written.
@Suite struct ArchiveTreeTests {
    private func archive(_ objects: [BinaryPropertyList.Node], extra: [BinaryPropertyList.Node] = []) -> Data
    {
        // 0 … 3: the keys; 4 …: their values; then the objects.
        let first = 9
        let nodes: [BinaryPropertyList.Node] = [
            .string("$archiver"), .string("$version"), .string("$top"), .string("$objects"),
            .string("NSKeyedArchiver"), .integer(100_000), .dictionary(keys: [7], values: [8]),
            .string("root"),
            .identifier(1),
        ]
        let list = BinaryPropertyList.Node.array(objects.indices.map { first + $0 })
        let root = first + objects.count + extra.count
        let all =
            nodes + objects + extra + [list, .dictionary(keys: [0, 1, 2, 3], values: [4, 5, 6, root])]
        return BinaryPropertyList(nodes: all, root: root + 1).data()
    }

    @Test("An archive is shown as a tree of its objects")
    func anArchiveOfFoundationIsATree() throws {
        let data = try KeyedArchiveWriter.archivedData(
            withRootObject: ["name": "Ada", "numbers": [1, 2.5] as [Any]] as [String: Any])
        let tree = try #require(ArchiveTree(data))
        #expect(tree.kind == "NSDictionary" && Set(tree.children.map(\.label)) == ["name", "numbers"])
        let numbers = try #require(tree.children.first { $0.label == "numbers" })
        #expect(numbers.kind == "NSArray" && numbers.children.map(\.text) == ["1", "2.5"])
    }

    @Test("An object that contains itself is shown once")
    func anObjectThatHoldsItselfEnds() throws {
        // 9: $null; 10: the object; 11: its class; its fields refer to nodes behind the objects.
        let data = archive(
            [
                .string("$null"), .dictionary(keys: [12, 13], values: [14, 15]),
                .dictionary(keys: [16], values: [17]),
            ],
            extra: [
                .string("$class"), .string("self"), .identifier(2), .identifier(1), .string("$classname"),
                .string("Loop"),
            ])
        let tree = try #require(ArchiveTree(data))
        #expect(tree.kind == "Loop" && tree.children.map(\.label) == ["self"])
        #expect(tree.children[0].text.contains("same object"))
    }

    @Test("References that refer to each other end")
    func aReferenceThatNamesItselfEnds() throws {
        // 10: a reference to itself; it is not an object with fields.
        let tree = try #require(ArchiveTree(archive([.string("$null"), .identifier(1)])))
        #expect(tree.text.contains("same object"))
        // Two that name each other.
        let pair = try #require(
            ArchiveTree(archive([.string("$null"), .identifier(2), .identifier(1)])))
        #expect(pair.text.contains("same object"))
    }

    /// The bytes of all texts of a tree.
    private func size(_ tree: ArchiveTree) -> Int {
        tree.children.reduce(tree.label.utf8.count + tree.kind.utf8.count + tree.text.utf8.count) {
            $0 + size($1)
        }
    }

    @Test("Long names are cut by their number of bytes")
    func longNamesAreCutByTheirBytes() throws {
        // One letter with a million marks is one character for a person.
        let long = "e" + String(repeating: "\u{301}", count: 1_000_000)
        let data = archive(
            [
                .string("$null"), .dictionary(keys: [12, 13], values: [14, 15]),
                .dictionary(keys: [16], values: [17]),
            ],
            extra: [
                .string("$class"), .string(long), .identifier(2), .string(long), .string("$classname"),
                .string(long),
            ])
        let tree = try #require(ArchiveTree(data))
        #expect(tree.children.count == 1 && size(tree) < 10_000)
        #expect(tree.kind.utf8.count < 300 && tree.kind.unicodeScalars.first == "e")
    }

    @Test("The size of all strings of a tree is bounded")
    func aTreeHasNoMoreTextThanItsShare() throws {
        let text = String(repeating: "x", count: 5000)
        let nodes: [BinaryPropertyList.Node] = [
            .array(Array(repeating: 1, count: 1900)), .string(text),
        ]
        let tree = try #require(ArchiveTree(BinaryPropertyList(nodes: nodes, root: 0).data()))
        #expect(size(tree) > 100_000 && size(tree) < 600_000)
    }

    @Test("A tree that multiplies by sharing is cut")
    func aTreeThatGrowsWithoutEndIsCut() throws {
        // Forty lists, each of which holds the next one twice.
        var nodes: [BinaryPropertyList.Node] = (0..<40).map { .array([$0 + 1, $0 + 1]) }
        nodes.append(.string("end"))
        let tree = try #require(ArchiveTree(BinaryPropertyList(nodes: nodes, root: 0).data()))
        func count(_ tree: ArchiveTree) -> Int { tree.children.reduce(1) { $0 + count($1) } }
        #expect(count(tree) < 5000)
    }

    @Test("Data that is not an archive has no tree")
    func otherDataHasNoTree() {
        #expect(ArchiveTree(Data()) == nil)
        #expect(ArchiveTree(Data("bplist00".utf8)) == nil)
        #expect(ArchiveTree(Data("text".utf8)) == nil)
    }

    @Test("Images are recognized by their first bytes, but not SVG")
    func imagesAreRecognizedByTheirFirstBytes() {
        #expect(
            ShownBytes.imageType(Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0])) == "image/png")
        #expect(ShownBytes.imageType(Data("<svg onload='alert(1)'/>".utf8)) == nil)
        #expect(ShownBytes.imageType(Data("RIFF1234WEBPVP8 ".utf8)) == "image/webp")
    }
}
