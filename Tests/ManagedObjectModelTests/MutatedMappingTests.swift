import CocoaFoundation
import TestSupport
import Testing

@testable import ManagedObjectModel

/// Mapping models with random mistakes: whatever comes out of them, it is a mapping model or an error.
struct MutatedMappingTests {
    @Test("A mutated mapping file gives a mapping model or an error", arguments: 0..<4)
    func mutatedTextIsAMappingModelOrAnError(seed: UInt64) throws {
        var random = Fuzzing.numbers(seed: seed)
        var read = 0
        for _ in 0..<Fuzzing.rounds(150) {
            let bytes = mutated(Array(MappingText.whole.utf8), &random)
            do {
                let file = try XcodeMappingFile(data: Data(bytes))
                _ = file.mappingModel.entityMappings.map(\.description)
                read += 1
            } catch let error as ModelFileError {
                #expect(!error.description.isEmpty)
            }
        }
        #expect(read > 0)
    }

    @Test("A mutated model inside a mapping file gives a model or an error", arguments: 0..<4)
    func mutatedEmbeddedModelIsAModelOrAnError(seed: UInt64) throws {
        var random = Fuzzing.numbers(seed: seed)
        var read = 0
        for _ in 0..<Fuzzing.rounds(300) {
            do {
                let bytes = mutated(Array(MappingText.source), &random)
                let model = try EditorModelArchive.model(Data(bytes))
                _ = model.entityVersionHashesByName
                read += 1
            } catch let error as ModelFileError {
                #expect(!error.description.isEmpty)
            }
        }
        #expect(read > 0)
    }

    @Test("A mutated compiled mapping gives a mapping model or an error", arguments: 0..<4)
    func mutatedArchiveIsAMappingModelOrAnError(seed: UInt64) throws {
        var random = Fuzzing.numbers(seed: seed)
        var read = 0
        for _ in 0..<Fuzzing.rounds(300) {
            do {
                let bytes = mutated(Array(CompiledMappingTests.archive), &random)
                let model = try CompiledMappingReader.mappingModel(Data(bytes))
                _ = model.entityMappings.map(\.description)
                read += 1
            } catch let error as ModelFileError {
                #expect(!error.description.isEmpty)
            }
        }
        #expect(read > 0)
    }

    /// Changes one byte, removes some, or repeats some.
    private func mutated(_ original: [UInt8], _ random: inout SeededNumbers) -> [UInt8] {
        var bytes = original
        for _ in 0...Int(random.next() % 2) {
            let start = Int(random.next() % UInt64(bytes.count))
            let end = min(bytes.count, start + Int(random.next() % 20))
            switch random.next() % 6 {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
            default: bytes[start] = UInt8(truncatingIfNeeded: random.next())
            }
        }
        return bytes
    }
}
