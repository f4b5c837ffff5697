import TestSupport
import Testing

@testable import CocoaFoundation
@testable import ManagedObjectModel

/// The file `.xccurrentversion` of anyone: a name, no name, or an error that names the file.
struct CurrentVersionMarkerTests {
    private func marker(_ data: Data) throws -> CurrentVersionMarker {
        try inFolder { url in
            try data.write(to: url)
            return try CurrentVersionMarker(contentsOf: url)
        }
    }

    private func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "marker-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.appending(path: CurrentVersionMarker.fileName))
    }

    private func error(_ data: Data) throws -> ModelFileError {
        let error = #expect(throws: ModelFileError.self) { try marker(data) }
        #expect(error?.file?.lastPathComponent == ".xccurrentversion")
        return try #require(error)
    }

    private func binary(_ nodes: [BinaryPropertyList.Node], root: Int) -> Data {
        BinaryPropertyList(nodes: nodes, root: root).data()
    }

    @Test("A marker may be a binary property list, with or without the name")
    func aBinaryListWithTheName() throws {
        let named = binary(
            [
                .string("_XCCurrentVersionName"), .string("A 2.xcdatamodel"),
                .dictionary(keys: [0], values: [1]),
            ],
            root: 2)
        #expect(try marker(named).versionFolderName == "A 2.xcdatamodel")
        #expect(try marker(binary([.dictionary(keys: [], values: [])], root: 0)).versionFolderName == nil)
    }

    /// Sixty lists, each of which has the one below twice: more than 2^60 objects in a few hundred bytes.
    @Test("A binary marker whose nested lists multiply is refused")
    func listsThatMultiplyAreRefused() throws {
        var nodes: [BinaryPropertyList.Node] = [.string("x")]
        for _ in 0..<60 { nodes.append(.array([nodes.count - 1, nodes.count - 1])) }
        nodes.append(.string("_XCCurrentVersionName"))
        nodes.append(.dictionary(keys: [nodes.count - 1], values: [nodes.count - 2]))
        let data = binary(nodes, root: nodes.count - 1)
        #expect(data.count < 600)
        #expect(try error(data).reason == .malformed)
    }

    @Test("A marker whose name is not a string, or that is too large, throws")
    func aNameThatIsNotAStringIsAnError() throws {
        let number = binary(
            [.string("_XCCurrentVersionName"), .integer(2), .dictionary(keys: [0], values: [1])], root: 2)
        #expect(try error(number).detail == "'_XCCurrentVersionName' is not a string")
        #expect(try error(binary([.string("A")], root: 0)).reason == .malformed)
        #expect(try error(Data(count: 1 << 17)).reason == .tooLarge)
    }

    @Test("A mutated marker is read or throws an error that names the file", arguments: 0..<4)
    func mutatedFileIsANameOrAnError(seed: UInt64) throws {
        var random = Fuzzing.numbers(seed: seed)
        let samples = [
            CurrentVersionMarker(versionFolderName: "A 2.xcdatamodel").data,
            binary(
                [
                    .string("_XCCurrentVersionName"), .string("A 2.xcdatamodel"),
                    .dictionary(keys: [0], values: [1]),
                ], root: 2),
        ]
        try inFolder { url in
            var (read, refused) = (0, 0)
            for round in 0..<Fuzzing.rounds(200) {
                var bytes = Array(samples[round % 2])
                for _ in 0...(random.next() % 3) {
                    bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                try Data(bytes).write(to: url)
                do {
                    _ = try CurrentVersionMarker(contentsOf: url)
                    read += 1
                } catch let error as ModelFileError {
                    #expect(error.file == url)
                    refused += 1
                }
            }
            #expect(read > 0 && refused > 0)
        }
    }
}
