import CocoaFoundation
import TestSupport
import Testing

@testable import ManagedObjectModel

/// Mapping models that Xcode wrote.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct MappingCorpusTests {
    private static let paths = Corpus.files(named: "xcmapping.xml", under: "mapping")

    private func folder(_ path: String) -> URL { Corpus.url(path).deletingLastPathComponent() }

    @Test("Every mapping model of the corpus is read with hashes and source expressions")
    func readsEveryMappingModelOfXcode() throws {
        #expect(!Self.paths.isEmpty)
        var mappings = 0
        var properties = 0
        var expressions = 0
        var types: [NSEntityMappingType: Int] = [:]
        var read = 0
        for path in Self.paths {
            do {
                let model = try NSMappingModel(loading: folder(path))
                read += 1
                for mapping in try #require(model.entityMappings) {
                    mappings += 1
                    types[mapping.mappingType, default: 0] += 1
                    let all = (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
                    properties += all.count
                    expressions += all.count { $0.valueExpression != nil }
                    #expect((mapping.sourceEntityName == nil) == (mapping.sourceEntityVersionHash == nil))
                    #expect(
                        (mapping.destinationEntityName == nil)
                            == (mapping.destinationEntityVersionHash == nil))
                    #expect((mapping.sourceEntityName == nil) == (mapping.sourceExpression == nil))
                }
                #expect(model.entityMappingsByName.count == model.entityMappings.count)
            } catch {
                Issue.record("\(path): \(error)")
            }
        }
        print(
            "corpus: \(read) of \(Self.paths.count) mapping models, \(mappings) entity mappings "
                + "\(types.map { "\($0.key): \($0.value)" }.sorted()), \(properties) property mappings, "
                + "\(expressions) value expressions")
        #expect(read == Self.paths.count)
    }

    /// The expressions can be written as text and read again.
    @Test("Every value expression of the corpus is parsed from its description")
    func expressionsArePrintedAndParsed() throws {
        var texts: Set<String> = []
        for path in Self.paths {
            for mapping in try NSMappingModel(loading: folder(path)).entityMappings {
                for property in (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? []) {
                    guard let expression = property.valueExpression else { continue }
                    texts.insert(expression.description)
                    #expect(try NSExpression(parsing: expression.description) == expression)
                }
            }
        }
        print("corpus: \(texts.count) different value expressions")
        #expect(
            texts.contains(
                "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
                    + "\"WordToPronunciationData\", $source)"))
    }

    /// What the developer wrote as an expression in one file is what another makes of a key path and a mapping.
    @Test("An expression generated from a key path equals the one that a developer wrote")
    func generatedExpressionsAreThoseOfTheEditor() throws {
        let paths = Self.paths.filter { $0.contains("Vocabulary") }
        let expressions = try paths.compactMap { path in
            try NSMappingModel(loading: folder(path)).entityMappingsByName["WordToWord"]?
                .relationshipMappings?
                .first { $0.name == "pronunciation" }?.valueExpression
        }
        #expect(expressions.count == 4)
        #expect(Set(expressions).count == 1)
    }

    /// The embedded models are those of the project's model files where the collection has both.
    @Test("Models inside mapping models have the hashes of the project's model files")
    func embeddedModelsHaveTheHashesOfTheModelFiles() throws {
        var equal = 0
        var differing: [String] = []
        for path in Self.paths {
            let file = try XcodeMappingFile(url: folder(path))
            let sides = [
                (file.sourceModelPath, file.sourceModel), (file.destinationModelPath, file.destinationModel),
            ]
            let repository = path.split(separator: "/")[1]
            for (modelPath, embedded) in sides {
                let end = try #require(modelPath).split(separator: "/").suffix(2).joined(separator: "/")
                let candidates = Corpus.files(named: "contents", under: "models/\(repository)")
                guard let original = candidates.first(where: { $0.hasSuffix("\(end)/contents") }) else {
                    continue
                }
                let model = try NSManagedObjectModel(loading: Corpus.url(original))
                let hashes = try #require(embedded).entityVersionHashesByName
                for (name, hash) in model.entityVersionHashesByName {
                    if hashes[name] == hash { equal += 1 } else { differing.append("\(original): \(name)") }
                }
            }
        }
        print("corpus: \(equal) entities of embedded models equal, \(differing.count) different")
        for difference in differing.sorted() { print("corpus: \(difference)") }
        #expect(equal > 0)
        // The project of one mapping model has changed its model since.
        #expect(differing.allSatisfy { $0.contains("/CoreDataTest.xcdatamodel/") })
    }
}
