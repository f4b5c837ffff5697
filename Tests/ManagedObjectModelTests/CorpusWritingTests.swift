import TestSupport
import Testing

@testable import ManagedObjectModel

/// Model files of Xcode, read and written back.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct CorpusWritingTests {
    @Test("Every model file is written back as the same tree, and byte by byte if Xcode wrote it")
    func writesEveryFileBackAsItWas() throws {
        let paths = Corpus.files(named: "contents", under: "models")
        #expect(!paths.isEmpty)
        var identical = 0
        var differing: [String] = []
        for path in paths {
            let data = try Data(contentsOf: Corpus.url(path))
            let tree = try ModelElement(xml: data)
            let written = try tree.xml()
            #expect(try ModelElement(xml: written).isIdentical(to: tree), "\(path)")
            if written == data { identical += 1 } else { differing.append(path) }
        }
        print(
            "corpus: written back: \(paths.count) trees equal, \(identical) byte by byte, not: \(differing)")
        // Xcode itself writes no line feed at the end and no comments: other hands have been at these files.
        for path in differing {
            let text = try String(contentsOf: Corpus.url(path), encoding: .utf8)
            #expect(text.hasSuffix("\n") || text.contains("<!--"), "\(path)")
        }
    }

    @Test("Markers of current versions are written back byte by byte, but for four")
    func writesMarkersOfCurrentVersions() throws {
        let paths = Corpus.files(named: ".xccurrentversion", under: "models")
        var identical = 0
        for path in paths {
            let marker = try CurrentVersionMarker(contentsOf: Corpus.url(path))
            if try Data(contentsOf: Corpus.url(path)) == marker.data { identical += 1 }
        }
        print("corpus: \(paths.count) markers of current versions, \(identical) written back byte by byte")
        #expect(paths.count - identical <= 4)
    }

    @Test("A model written to a file and read back is equal, and loses only what has no meaning")
    func writesModelsAgain() throws {
        let paths = Corpus.some(Corpus.files(named: "contents", under: "models"))
        var lost: [String: Int] = [:]
        var identical = 0
        for path in paths {
            let tree = try ModelElement(xml: Data(contentsOf: Corpus.url(path)))
            let model = try NSManagedObjectModel(tree: tree)
            do {
                let written = try ModelElement(model: model, document: .init(of: tree))
                let again = try NSManagedObjectModel(tree: ModelElement(xml: written.xml()))
                #expect(again == model, "\(path)")
                #expect(again.entityVersionHashesByName == model.entityVersionHashesByName, "\(path)")
                #expect(again.versionIdentifiers == model.versionIdentifiers)
                if written.isIdentical(to: tree) { identical += 1 }
                for entry in losses(from: tree, to: written) { lost[entry, default: 0] += 1 }
            } catch {
                Issue.record("\(path): \(error)")
            }
        }
        print("corpus: through models: \(paths.count) models equal, \(identical) trees identical")
        for (entry, count) in lost.sorted(by: { $0.key < $1.key }) {
            print("corpus: not kept: \(entry) ×\(count)")
        }
        // What means nothing, or the same in another spelling; the models are equal.
        #expect(
            Set(lost.keys).isSubset(of: [
                "<userInfo> in <attribute> (empty)", "<userInfo> in <entity> (empty)",
                "attribute defaultValueString", "attribute defaultValueString (changed)",
                "attribute valueTransformerName (empty)", "fetchRequest includePropertyValues",
                "fetchRequest includeSubentities", "fetchRequest includesPendingChanges",
                "fetchRequest predicateString (changed)", "fetchRequest returnObjectsAsFaults",
            ]))
        #expect(Fuzzing.isLong ? paths.count >= 469 && identical >= 243 : identical >= 80)
    }

    /// Elements and attributes that the second tree does not have, or has with another value.
    private func losses(from old: ModelElement, to new: ModelElement) -> [String] {
        var found: [String] = []
        for attribute in old.attributes where new[attribute.name] != attribute.value {
            let change = new[attribute.name] == nil ? "" : " (changed)"
            let value = attribute.value.isEmpty ? " (empty)" : ""
            found.append("\(old.name) \(attribute.name)\(value)\(change)")
        }
        var rest = new.children
        for child in old.children {
            let match = rest.firstIndex {
                $0.name == child.name && $0["name"] == child["name"] && $0["value"] == child["value"]
                    && $0["key"] == child["key"] && $0["property"] == child["property"]
            }
            if let match {
                found += losses(from: child, to: rest.remove(at: match))
            } else {
                found.append("<\(child.name)> in <\(old.name)>\(child.children.isEmpty ? " (empty)" : "")")
            }
        }
        found += rest.map { "new <\($0.name)> in <\(old.name)>" }
        found += new.attributes.filter { old[$0.name] == nil }.map { "new \(old.name) \($0.name)" }
        if found.isEmpty && old.attributes != new.attributes {
            found.append("order of \(old.name)'s attributes: \(old.attributes.map(\.name))")
        }
        return found
    }
}
