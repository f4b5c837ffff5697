import TestSupport
import Testing

@testable import ManagedObjectModel

/// Models and hashes that Apple's tools wrote.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct CorpusTests {
    @Test("Every Xcode model of the corpus is read, and contradicts itself only by missing types")
    func readsEveryModelOfXcode() throws {
        let paths = Corpus.files(named: "contents", under: "models")
        #expect(!paths.isEmpty)
        let clock = ContinuousClock()
        var entities = 0
        var properties = 0
        var contradictions: [String] = []
        let time = clock.measure {
            for path in paths {
                do {
                    let model = try NSManagedObjectModel(loading: Corpus.url(path))
                    entities += model.entities.count
                    properties += model.entities.reduce(0) { $0 + $1.ownProperties.count }
                    contradictions += model.inconsistencies().map { "\(path): \($0)" }
                } catch {
                    Issue.record("\(path): \(error)")
                }
            }
        }
        print("corpus: \(paths.count) models, \(entities) entities, \(properties) properties in \(time)")
        for contradiction in contradictions { print("corpus: \(contradiction)") }
        // Two models were saved in the middle of work: each has an attribute without a type, which Apple's
        // model compiler refuses as well.
        #expect(contradictions.allSatisfy { $0.contains("without a type") })
        #expect(contradictions.count <= 2)
    }

    @Test("Model files are parsed into the tree that Foundation's XML parser gives")
    func readsXMLAsFoundationDoes() throws {
        for path in Corpus.files(named: "contents", under: "models") {
            let data = try Data(contentsOf: Corpus.url(path))
            #expect(try ModelElement(xml: data) == FoundationTree(data).root, "\(path)")
        }
    }

    @Test("Every model folder opens at the version that its marker names")
    func readsTheCurrentVersionOfEveryModel() throws {
        let markers = Corpus.files(named: ".xccurrentversion", under: "models")
        #expect(!markers.isEmpty)
        for marker in markers {
            let folder = Corpus.url(marker).deletingLastPathComponent()
            let named = try Corpus.propertyList(marker)["_XCCurrentVersionName"] as? String
            do {
                let file = try XcodeModelFile(url: folder)
                if let named { #expect(file.currentVersion.url.lastPathComponent == named) }
                #expect(file.versions.contains(file.currentVersion))
            } catch let error as ModelFileError {
                // The corpus does not have every version of every model.
                #expect(error.reason == .unknownName || error.reason == .unreadable, "\(error)")
            }
        }
    }

    @Test("Entity hashes equal those of Apple's model compiler")
    func hashesEntitiesAsTheModelCompilerDoes() throws {
        var count = Count()
        for pair in try Corpus.table("PAIRS_mom_source.tsv") where pair.count >= 2 {
            let compiled = Corpus.url(pair[0])
            let info = try? Corpus.propertyList(
                (pair[0] as NSString).deletingLastPathComponent + "/VersionInfo.plist")
            let versions = info?["NSManagedObjectModel_VersionHashes"] as? [String: Any]
            let name = compiled.deletingPathExtension().lastPathComponent
            guard let hashes = versions?[name] as? [String: Data] else {
                count.withoutHashes += 1
                continue
            }
            let isSameVersion = pair[1].contains("/\(name).xcdatamodel/")
            try count.compare(hashes, with: pair[1], isSameVersion: isSameVersion)
            if let checksums = info?["NSManagedObjectModel_VersionChecksums"] as? [String: String],
                let checksum = checksums[name]
            {
                let model = try NSManagedObjectModel(loading: Corpus.url(pair[1]))
                #expect(model.versionChecksum == checksum)
            }
        }
        print("corpus: hashes of compiled models: \(count)")
        #expect(count.differing == [])
        #expect(count.ofOtherVersions.count <= 2)
        #expect(count.equalEntities > 0)
    }

    @Test("Entity hashes equal those in the metadata of Apple's stores")
    func hashesEntitiesAsStoresHaveThem() throws {
        var count = Count()
        for pair in try Corpus.table("PAIRS_modelcache_source.tsv") where pair.count >= 2 {
            let path = pair[0].replacingOccurrences(of: ".modelcache.bplist", with: ".hashes.plist")
            let metadata = try Corpus.propertyList(path)
            guard let hashes = metadata["NSStoreModelVersionHashes"] as? [String: Data] else {
                count.withoutHashes += 1
                continue
            }
            try count.compare(hashes, with: pair[1], isSameVersion: true)
            let model = try NSManagedObjectModel(loading: Corpus.url(pair[1]))
            #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
            if let digest = metadata["NSStoreModelVersionHashesDigest"] as? String {
                #expect(model.versionHashesDigest() == digest)
            }
            if let checksum = metadata["NSStoreModelVersionChecksumKey"] as? String {
                #expect(model.versionChecksum == checksum)
            }
        }
        print("corpus: hashes of stores: \(count)")
        #expect(count.differing == [])
        #expect(count.equalEntities > 0)
    }

    /// How many hashes are equal.
    private struct Count: CustomStringConvertible {
        var models = 0
        var equalEntities = 0
        var withoutHashes = 0
        var differing: [String] = []
        var ofOtherVersions: [String] = []

        var description: String {
            "\(models) models, \(equalEntities) entities equal, \(differing.count) different, "
                + "\(ofOtherVersions.count) of another version, \(withoutHashes) models without hashes"
        }

        /// - Parameter isSameVersion: whether hashes and model are of one name. The table of pairs also has
        ///   one compiled model (QMModel4) beside the source of the version before it.
        mutating func compare(_ hashes: [String: Data], with source: String, isSameVersion: Bool) throws {
            let model = try NSManagedObjectModel(loading: Corpus.url(source))
            models += 1
            let own = model.entityVersionHashesByName
            // Entities that only one of the two has count as different.
            for name in Set(own.keys).union(hashes.keys).sorted() {
                if let hash = own[name], hashes[name] == hash {
                    equalEntities += 1
                } else if isSameVersion {
                    differing.append("\(source): \(name)")
                } else {
                    ofOtherVersions.append("\(source): \(name)")
                }
            }
        }
    }
}
