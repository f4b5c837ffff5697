import CocoaFoundation
import TestSupport
import Testing

@testable import ManagedObjectModel

/// The models of Xcode 3, and what Apple's tools made of one.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct EditorArchiveCorpusTests {
    private static let folders = Corpus.files(named: "elements", under: "models").map {
        Corpus.url($0).deletingLastPathComponent()
    }

    @Test("Every Xcode 3 model of the corpus is read, and equals the model file written from it")
    func readsEveryModel() throws {
        var count = (entities: 0, attributes: 0, relationships: 0, indexed: 0)
        for folder in Self.folders {
            let model = try NSManagedObjectModel(loading: folder)
            for entity in model.entities {
                let properties = entity.ownProperties
                count.entities += 1
                count.attributes += properties.count { $0 is NSAttributeDescription }
                count.relationships += properties.count { $0 is NSRelationshipDescription }
                count.indexed += properties.count(where: \.isIndexedAlone)
            }
            #expect(model.inconsistencies().isEmpty, "\(folder.path)")
            // The file of today that it becomes says the same.
            let text = try XcodeModelFile.contents(of: folder).xml()
            let again = try NSManagedObjectModel(tree: ModelElement(xml: text))
            #expect(again == model && again.entityVersionHashesByName == model.entityVersionHashesByName)
        }
        // As many as other readers of property lists find objects of the classes, and settings.
        #expect(Self.folders.count == 30 && count.entities == 146)
        #expect(count.attributes == 529 && count.relationships == 316 && count.indexed == 37 + 296)
    }

    /// The model of an application, beside the compiled one in it.
    @Test("An Xcode 3 model compiles to Apple's archive, but for keys that newer compilers added")
    func compilesAsAppleDoes() throws {
        let model = try NSManagedObjectModel(
            loading: Corpus.url("models/Sunic+DigitalOrder/Hotel.xcdatamodel"))
        let file = Corpus.url("mom/Sunic+DigitalOrder/build/Debug-iphonesimulator/Hotel.app/Hotel.mom")
        let compiled = try NSManagedObjectModel(loading: file)
        #expect(model.entityVersionHashesByName == compiled.entityVersionHashesByName)
        #expect(model.entitiesByName == compiled.entitiesByName && model.entities.count == 2)
        let comparison = try ArchiveComparison(
            apple: Data(contentsOf: file), ours: model.compiledData())
        #expect(comparison.objects > 20)
        // What the compiler of Xcode 3 did not write yet.
        let newer = [
            "CDMCompilerToolVersion", "CDMCompilerXcodeVersion", "NSVersionIdentifiers", "NSFlagsKey",
        ]
        #expect(comparison.differences.filter { !newer.contains($0.key) }.map(\.description) == [])
    }
}
