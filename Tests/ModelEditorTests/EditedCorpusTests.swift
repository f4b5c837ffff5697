import Foundation
import ModelTools
import TestSupport
import Testing

@testable import ModelEditor

/// Every model that Xcode wrote opens, and unedited elements stay unchanged.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct EditedCorpusTests {
    private static let models: [String] = {
        let folders = Set(
            (Corpus.files(named: "contents", under: "models")
                + Corpus.files(named: "elements", under: "models")).map {
                    ($0 as NSString).deletingLastPathComponent
                })
        // A version in a folder of versions is opened with it.
        return Set(
            folders.map { path in
                let parent = (path as NSString).deletingLastPathComponent
                return parent.hasSuffix(".xcdatamodeld") ? parent : path
            }
        ).sorted()
    }()

    @Test("Every model of the corpus opens and would be saved byte by byte")
    func everyModelOpens() async throws {
        #expect(Self.models.count > 100)
        var count = 0
        var old = 0
        for path in Self.models {
            let document = try ModelDocument(opening: Corpus.url(path))
            for version in await document.versions {
                #expect(version.problem == nil, "\(path)")
                count += 1
                old += version.isArchive ? 1 : 0
                // In a short run every third one is shown.
                guard Fuzzing.isLong || version.isArchive || count.isMultiple(of: 3) else { continue }
                let view = try await document.view(of: version.name)
                #expect(view.root.kind == "model" && !view.isEdited, "\(path)")
                #expect(view.notices.contains { $0.contains("Xcode 3") } == version.isArchive)
                // Saving would write the bytes that were read, but for what Xcode does not write itself.
                let bytes = try #require(version.savedBytes)
                if !version.isArchive, try version.tree.xml() != bytes {
                    let text = String(decoding: bytes, as: UTF8.self)
                    #expect(text.hasSuffix("\n") || text.contains("<!--"), "\(path) \(version.name)")
                }
            }
        }
        #expect(count > 400 && old == 30)
    }

    /// Of models with many versions the first and the last, which include all changes between them.
    @Test("Every model of the corpus is analysed without errors but missing types")
    func everyModelIsAnalysed() async throws {
        var count = 0
        for path in Self.models {
            let document = try ModelDocument(opening: Corpus.url(path))
            let versions = await document.versions
            let base = versions[0]
            for version in versions.count > 3 ? [base, versions[versions.count - 1]] : versions {
                let analysis = ModelAnalysis(
                    of: version.tree, name: "Model", comparedWith: (base.name, base.tree), style: .plain)
                // Two models have an attribute without a type.
                let errors = analysis.findings.filter {
                    $0.severity == .error && $0.code != .attributeWithoutType
                }
                #expect(errors.map(\.description) == [] && analysis.checksum != nil, "\(path)")
                #expect(analysis.migration.problem == nil && analysis.sourceProblem == nil, "\(path)")
                count += 1
            }
        }
        #expect(count > 200)
    }

    @Test("Every compiled model of the corpus shows its entities and stays unchanged")
    func everyCompiledModelIsShown() async throws {
        let models = Set(
            Corpus.files(under: "mom").compactMap { path -> String? in
                guard path.hasSuffix(".mom") else { return nil }
                let folder = (path as NSString).deletingLastPathComponent
                return folder.hasSuffix(".momd") ? folder : path
            }
        ).sorted()
        #expect(models.count == 19)
        var count = 0
        for path in models {
            // The corpus does not have the current version of this one.
            if path.contains("services-ios@f105bfee/") {
                let error = #expect(throws: ModelFileError.self) {
                    try ModelDocument(opening: Corpus.url(path))
                }
                #expect(error?.detail.contains("'QMModel4' is not there") == true)
                continue
            }
            let document = try ModelDocument(opening: Corpus.url(path))
            for version in await document.versions {
                #expect(version.problem == nil, "\(path)")
                let view = try await document.view(of: version.name)
                #expect(view.notices.contains { $0.contains("coredata model decompile") })
                let names = try NSManagedObjectModel(loading: version.url).entities.compactMap(\.name)
                let shown = view.root.children.filter { $0.kind == "entity" }
                #expect(shown.compactMap { $0.settings["name"] }.sorted() == names.sorted(), "\(path)")
                count += 1
            }
            #expect(await document.changedOnDisk(isThorough: true) == [], "\(path)")
        }
        #expect(count == 38)
    }

    /// The settings of models of Xcode 3 stand where Xcode writes them today.
    @Test("Settings of Xcode 3 models are in the order of today's Xcode")
    func everySettingOfXcode3HasItsPlace() throws {
        var count = 0
        for path in Corpus.files(named: "elements", under: "models") {
            var rest = [try XcodeModelFile.tree(of: Corpus.url(path))]
            while let element = rest.popLast() {
                rest += element.children
                guard let kind = element.kind, kind != .model else { continue }
                let order = ["name"] + kind.settings.map(\.name)
                let indexedChange = element.attributes.map { order.firstIndex(of: $0.name) ?? -1 }
                #expect(
                    indexedChange == indexedChange.sorted() && !indexedChange.contains(-1),
                    "\(path): \(element.attributes)")
                count += 1
            }
        }
        #expect(count == 146 + 529 + 316)
    }

    @Test("Every setting of the corpus is a known setting of its element")
    func everyKnownSettingHasItsPlace() throws {
        let known = Dictionary(
            ElementKind.allCases.map { ($0.rawValue, Set($0.settings.map(\.name) + ["name"])) }
        ) { first, _ in first }
        for path in Corpus.files(named: "contents", under: "models") {
            var rest = [try XcodeModelFile.tree(of: Corpus.url(path))]
            while let element = rest.popLast() {
                rest += element.children
                guard element.name != "model", let names = known[element.name] else { continue }
                for attribute in element.attributes {
                    #expect(names.contains(attribute.name), "\(path): \(element.name) \(attribute.name)")
                }
            }
        }
    }

    @Test("A setting that is removed and set again keeps its position")
    func settingsThatAreTakenOutAndSetAgainStandWhereTheyWere() throws {
        var count = 0
        for path in Corpus.files(named: "contents", under: "models").prefix(150) {
            let tree = try XcodeModelFile.tree(of: Corpus.url(path))
            var rest = [tree]
            while let element = rest.popLast() {
                rest += element.children
                guard let kind = element.kind, kind != .model else { continue }
                for setting in kind.settings.map(\.name) {
                    guard let value = element[setting] else { continue }
                    var changed = element
                    changed[setting] = nil
                    changed.setInOrder(setting, value)
                    #expect(changed.attributes == element.attributes, "\(path): \(element.name) \(setting)")
                    count += 1
                }
            }
        }
        #expect(count > 5_000)
    }
}
