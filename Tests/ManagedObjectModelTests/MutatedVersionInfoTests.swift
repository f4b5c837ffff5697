import CocoaFoundation
import TestSupport
import Testing

@testable import ManagedObjectModel

/// Lists of versions that no compiler wrote: a list, or an error.
struct MutatedVersionInfoTests {
    private static let info: VersionInfo = {
        var info = VersionInfo()
        info.currentVersionName = "B"
        for name in ["A", "B"] {
            info.versionHashes[name] = ["Book": Data(repeating: 1, count: 32), "Page": Data(count: 32)]
            info.versionChecksums[name] = "c\(name)="
        }
        return info
    }()

    private static func xml(_ info: VersionInfo) throws -> Data {
        let list = try PropertyListSerialization.propertyList(from: info.data(), format: nil)
        return try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    }

    @Test("A list of versions is read from binary and XML property lists")
    func bothFormatsAreRead() throws {
        for data in [Self.info.data(), try Self.xml(Self.info)] {
            let read = try VersionInfo(data)
            #expect(read.currentVersionName == "B")
            #expect(read.versionHashes == Self.info.versionHashes)
            #expect(read.versionChecksums == ["A": "cA=", "B": "cB="])
        }
    }

    @Test("A mutated list of versions is read or throws an error", arguments: 0..<4)
    func mutatedListsAreListsOrErrors(seed: UInt64) throws {
        var random = Fuzzing.numbers(seed: seed)
        let samples = [Self.info.data(), try Self.xml(Self.info)]
        var (read, refused) = (0, 0)
        for round in 0..<Fuzzing.rounds(500) {
            var bytes = Array(samples[round % 2])
            for _ in 0...(random.next() % 3) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            if random.next() % 8 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
            do {
                _ = try VersionInfo(Data(bytes))
                read += 1
            } catch let error as ModelFileError {
                #expect(!error.detail.isEmpty)
                refused += 1
            }
        }
        #expect(read > 0 && refused > 0)
    }

    @Test("A list of versions cut off at any offset is an error")
    func anyPrefixIsAnError() throws {
        for data in [Self.info.data(), try Self.xml(Self.info)] {
            for length in 0..<(data.count - 1) {
                #expect(throws: ModelFileError.self) { try VersionInfo(data.prefix(length)) }
            }
        }
    }

    /// Dictionaries, each of which has the one below twice.
    @Test("Nested dictionaries are read, and refused when they multiply by sharing", arguments: [4, 30, 60])
    func dictionariesThatMultiply(depth: Int) throws {
        var nodes: [BinaryPropertyList.Node] = [
            .string("a"), .string("b"), .dictionary(keys: [], values: []),
        ]
        for _ in 0..<depth {
            nodes.append(.dictionary(keys: [0, 1], values: [nodes.count - 1, nodes.count - 1]))
        }
        let data = BinaryPropertyList(nodes: nodes, root: nodes.count - 1).data()
        if depth == 4 {
            #expect(try PropertyListDictionary(data).dictionaries().keys.sorted() == ["a", "b"])
        } else {
            let error = #expect(throws: ModelFileError.self) { try PropertyListDictionary(data) }
            #expect(error?.reason == .malformed)
        }
    }

    @Test("A list of versions with values of the wrong type is refused")
    func valuesOfOtherKinds() throws {
        for (key, value) in [
            ("NSManagedObjectModel_CurrentVersionName", "<integer>1</integer>"),
            ("NSManagedObjectModel_VersionHashes", "<string>a</string>"),
            ("NSManagedObjectModel_VersionHashes", "<dict><key>A</key><array/></dict>"),
            ("NSManagedObjectModel_VersionChecksums", "<dict><key>A</key><data/></dict>"),
        ] {
            let text = "<plist version=\"1.0\"><dict><key>\(key)</key>\(value)</dict></plist>"
            let error = #expect(throws: ModelFileError.self) { try VersionInfo(Data(text.utf8)) }
            #expect(error?.reason == .invalidValue)
        }
    }
}
