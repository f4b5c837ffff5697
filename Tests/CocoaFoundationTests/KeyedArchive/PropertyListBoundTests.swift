import Foundation
import Testing

@testable import CocoaFoundation

/// The objects of a binary property list are counted before they are made.
@Suite struct PropertyListBoundTests {
    private func reason(_ data: Data, maximumObjects: Int = 1_000) -> String {
        let error = #expect(throws: MalformedPropertyList.self) {
            try BinaryPropertyList(data, maximumObjects: maximumObjects)
        }
        return error?.reason ?? ""
    }

    @Test("Objects without references to them count")
    func objects() throws {
        let nodes =
            [BinaryPropertyList.Node.dictionary(keys: [1], values: [2]), .string("key"), .integer(1)]
            + (0..<1_000).map { .integer(Int64($0)) }
        let data = BinaryPropertyList(nodes: nodes, root: 0).data()
        #expect(reason(data).contains("more than 1000 objects"))
        #expect(try BinaryPropertyList(data, maximumObjects: 1_003).nodes.count == 1_003)
        #expect(throws: MalformedPropertyList.self) {
            try BinaryPropertyList.dictionary(data, maximumDepth: 8, maximumWeight: 1_000)
        }
        let dictionary = try BinaryPropertyList.dictionary(data, maximumDepth: 8, maximumWeight: 2_000)
        #expect(dictionary["key"] as? Int == 1)
    }

    @Test("References count, those of all lists together")
    func references() throws {
        let lists = (0..<4).map { _ in BinaryPropertyList.Node.array(Array(repeating: 4, count: 300)) }
        let data = BinaryPropertyList(nodes: lists + [.integer(1)], root: 0).data()
        #expect(reason(data).contains("more than 1000 objects or references"))
        #expect(try BinaryPropertyList(data, maximumObjects: 1_200).nodes.count == 5)
        let dictionary = BinaryPropertyList.Node.dictionary(
            keys: Array(repeating: 1, count: 501), values: Array(repeating: 1, count: 501))
        #expect(
            reason(BinaryPropertyList(nodes: [dictionary, .string("a")], root: 0).data()).contains(
                "references"))
    }

    @Test("Each object has bytes of its own") func overlap() {
        // A table of two hundred objects that all lie in one byte.
        var data = Data("bplist00".utf8) + [0x09] + Data(repeating: 8, count: 200)
        data += Data([0, 0, 0, 0, 0, 0, 1, 1])
        for number in [200, 0, 9] as [UInt64] {
            withUnsafeBytes(of: number.bigEndian) { data.append(contentsOf: $0) }
        }
        #expect(reason(data).contains("overlap"))
    }

    @Test("The length of repeated keys is bounded")
    func longKeys() throws {
        func list(_ length: Int, _ count: Int) -> Data {
            let dictionaries = (0..<count).map { _ in
                BinaryPropertyList.Node.dictionary(keys: [count], values: [count])
            }
            return BinaryPropertyList(
                nodes: dictionaries + [.string(String(repeating: "k", count: length))], root: 0
            ).data()
        }
        #expect(reason(list(100_000, 500)).contains("keys"))
        #expect(try BinaryPropertyList(list(100_000, 2)).nodes.count == 3)
        #expect(try BinaryPropertyList(list(900, 500)).nodes.count == 501)
    }

    @Test("An archive with more objects than the reader accepts is not written")
    func writing() throws {
        let writer = KeyedArchiveWriter()
        let root = writer.reference(to: (0..<100).map { "text \($0)" })
        #expect(throws: CocoaError.self) { try writer.finish(root: root, maximumObjects: 50) }
        #expect(try !writer.finish(root: root).isEmpty)
    }
}
