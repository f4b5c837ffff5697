import TestSupport
import Testing

@testable import ManagedObjectModel

/// Compiled models and copies of models in stores, that Apple's tools wrote.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct CompiledCorpusTests {
    private static func files(_ extension: String, under folder: String) -> [String] {
        Corpus.files(under: folder).filter { $0.hasSuffix(`extension`) }
    }

    @Test("Every compiled model of the corpus has the hashes and the checksum that its folder lists")
    func readsEveryCompiledModelWithTheHashesOfItsList() throws {
        let paths = Self.files(".mom", under: "mom")
        var entities = 0
        var equal = 0
        var checksums = 0
        var unlisted = 0
        var contradictions: [String] = []
        for path in paths {
            do {
                let model = try NSManagedObjectModel(loading: Corpus.url(path))
                entities += model.entities.count
                contradictions += model.inconsistencies().map { "\(path): \($0)" }
                let folder = Corpus.url(path).deletingLastPathComponent()
                guard folder.pathExtension == "momd" else {
                    unlisted += 1
                    continue
                }
                let version = try #require(
                    CompiledModelFolder(url: folder).versions.first {
                        $0.name == Corpus.url(path).deletingPathExtension().lastPathComponent
                    })
                #expect(version.versionHashes == model.entityVersionHashesByName, "\(path)")
                equal += version.versionHashes == model.entityVersionHashesByName ? model.entities.count : 0
                if let checksum = version.versionChecksum {
                    #expect(checksum == model.versionChecksum, "\(path)")
                    checksums += 1
                }
            } catch {
                Issue.record("\(path): \(error)")
            }
        }
        print(
            "corpus: \(paths.count) compiled models, \(entities) entities, \(equal) hashes equal, \(checksums) "
                + "checksums, \(unlisted) models without a list of hashes")
        #expect(contradictions == [])
        #expect(paths.count >= 41 && equal > 200 && unlisted == 4)
    }

    @Test("The cached model of every store has the hashes of the store's metadata")
    func readsTheModelOfEveryStoreWithTheHashesOfItsMetadata() throws {
        let paths = Self.files(".modelcache.bplist", under: "modelcache")
        var entities = 0
        for path in paths {
            do {
                let model = try NSManagedObjectModel(modelCacheArchive: Data(contentsOf: Corpus.url(path)))
                entities += model.entities.count
                #expect(model.inconsistencies().isEmpty, "\(path)")
                let metadata = try Corpus.propertyList(
                    path.replacingOccurrences(of: ".modelcache.bplist", with: ".hashes.plist"))
                let hashes = metadata["NSStoreModelVersionHashes"] as? [String: Data]
                #expect(hashes == model.entityVersionHashesByName, "\(path)")
                #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
            } catch {
                Issue.record("\(path): \(error)")
            }
        }
        print("corpus: \(paths.count) models of stores, \(entities) entities, all hashes equal")
        #expect(paths.count >= 36 && entities > 200)
    }

    /// What compiled models and the copies of stores say is all in the model files made of them, or there is none.
    @Test("A compiled model written as an Xcode model file and read back is equal")
    func writesEveryCompiledModelAsAFileOfXcode() throws {
        var written = 0
        var refused: [String] = []
        for path in Self.files(".mom", under: "mom") + Self.files(".modelcache.bplist", under: "modelcache") {
            let data = try Data(contentsOf: Corpus.url(path))
            let model =
                path.hasSuffix(".mom")
                ? try NSManagedObjectModel(compiled: data) : try NSManagedObjectModel(modelCacheArchive: data)
            do {
                let tree = try ModelElement(model: model)
                let again = try NSManagedObjectModel(tree: ModelElement(xml: tree.xml()))
                #expect(again == model, "\(path)")
                #expect(again.entityVersionHashesByName == model.entityVersionHashesByName, "\(path)")
                #expect(again.configurations == model.configurations, "\(path)")
                #expect(again.templates.keys == model.templates.keys, "\(path)")
                written += 1
            } catch let error as ModelFileError {
                refused.append("\(path): \(error)")
            }
        }
        print("corpus: \(written) compiled models written as files of Xcode, refused: \(refused)")
        // One model, which was made in code, has other things than texts in its user info.
        #expect(refused.count == 1)
        #expect(refused.allSatisfy { $0.contains("the user info for 'EnumType', which is not a string") })
        #expect(written >= 76)
    }

    /// Prints how long it takes to read everything; the time is not a reason to fail.
    @Test("Every source, compiled model and model cache of the corpus opens")
    func readsTheWholeCorpus() {
        let sources = Corpus.files(named: "contents", under: "models")
        let compiled = Self.files(".mom", under: "mom")
        let copies = Self.files(".modelcache.bplist", under: "modelcache")
        var models = 0
        let time = ContinuousClock().measure {
            for path in sources + compiled + copies
            where NSManagedObjectModel(contentsOf: Corpus.url(path)) != nil { models += 1 }
        }
        print("corpus: \(models) models in all forms read in \(time)")
        #expect(models == sources.count + compiled.count + copies.count)
    }

    @Test("Every compiled model folder opens at its current version")
    func opensEveryFolderAtItsCurrentVersion() throws {
        let lists = Corpus.files(named: "VersionInfo.plist", under: "mom")
        #expect(lists.count >= 12)
        for list in lists {
            let folder = Corpus.url(list).deletingLastPathComponent()
            let named = try Corpus.propertyList(list)["NSManagedObjectModel_CurrentVersionName"] as? String
            do {
                let compiled = try CompiledModelFolder(url: folder)
                let current = try compiled.currentVersion()
                #expect(current.name == named ?? compiled.versions.first?.name)
                let model = try NSManagedObjectModel(loading: folder)
                #expect(model.entityVersionHashesByName == current.versionHashes)
                #expect(NSManagedObjectModel(contentsOf: folder) == model)
            } catch let error as ModelFileError {
                // The corpus does not have every version of every model.
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(!names.contains("\(named ?? "").mom"), "\(error)")
            }
        }
    }

    /// Both forms of one model say the same, but for what only the source knows.
    @Test("A compiled model is read equal to its source")
    func compiledModelsEqualTheirSources() throws {
        var models = 0
        for pair in try Corpus.table("PAIRS_mom_source.tsv") + Corpus.table("PAIRS_modelcache_source.tsv") {
            let name = Corpus.url(pair[0]).deletingPathExtension().lastPathComponent
            // The table has one compiled model beside the source of the version before it.
            if name == "QMModel4" { continue }
            let compiled = try NSManagedObjectModel(compiled: Data(contentsOf: Corpus.url(pair[0])))
            let source = try NSManagedObjectModel(loading: Corpus.url(pair[1]))
            #expect(compiled.entityVersionHashesByName == source.entityVersionHashesByName, "\(pair[0])")
            for entity in source.entities {
                let other = try #require(compiled.entitiesByName[entity.name ?? ""])
                for property in entity.ownProperties {
                    let found = try #require(other.propertiesByName[property.name])
                    // A compiler from before Xcode 9 left of a fetch index over one property only the mark.
                    let indexed = try #require(property.copy() as? NSPropertyDescription)
                    if other.indexes.contains(where: { $0.name == property.name }) {
                        indexed.isIndexedAlone = true
                    }
                    #expect(found == indexed, "\(pair[0]): \(property.qualifiedName)")
                }
                #expect(entity.isAbstract == other.isAbstract)
                #expect(entity.superentity?.name == other.superentity?.name)
            }
            models += 1
        }
        print("corpus: \(models) models read alike from the source and from the compiled form")
        #expect(models > 40)
    }
}
