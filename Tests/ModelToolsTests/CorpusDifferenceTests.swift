import TestSupport
import Testing

@testable import ModelTools

/// Differences of models of Xcode.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct CorpusDifferenceTests {
    @Test("A model written to a model file has no difference from the original")
    func noSettingIsLostInAModelFile() throws {
        let paths = Corpus.some(Corpus.files(named: "contents", under: "models"))
        #expect(!paths.isEmpty)
        var equal = 0
        for path in paths {
            let model = try NSManagedObjectModel(loading: Corpus.url(path))
            let again = try NSManagedObjectModel(tree: ModelElement(model: model))
            let difference = ModelDifference(from: model, to: again)
            #expect(difference.isEmpty && !difference.changesVersionHashes, "\(path): \(difference.entities)")
            if difference.isEmpty { equal += 1 }
        }
        print("corpus: every setting equal after writing: \(equal) of \(paths.count) models")
    }

    @Test("Versions with other hashes have differences that change the hash")
    func versionsOfOneModelDiffer() throws {
        var pairs = 0
        var inferable = 0
        let folders = Set(Corpus.files(under: "models").map { ($0 as NSString).deletingLastPathComponent })
        for folder in Corpus.some(folders.filter { $0.hasSuffix(".xcdatamodeld") }.sorted()) {
            guard let file = try? XcodeModelFile(url: Corpus.url(folder)) else { continue }
            let models = file.versions.compactMap { try? NSManagedObjectModel(loading: $0.url) }
            for (old, new) in zip(models, models.dropFirst()) {
                let difference = ModelDifference(from: old, to: new)
                if difference.changesVersionHashes {
                    #expect(!difference.isEmpty, "\(folder)")
                    #expect(difference.entities.contains { $0.changesVersionHash }, "\(folder)")
                }
                pairs += 1
                if difference.allowsLightweightMigration { inferable += 1 }
            }
        }
        print(
            "corpus: \(pairs) pairs of versions, \(inferable) of them can be migrated without a mapping model"
        )
        #expect(pairs > 0)
    }
}
