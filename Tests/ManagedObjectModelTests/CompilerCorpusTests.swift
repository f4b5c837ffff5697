import CocoaFoundation
import TestSupport
import Testing

@testable import ManagedObjectModel

/// Archives that we write, beside those of Apple's tools for the same source.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct CompilerCorpusTests {
    typealias Difference = ArchiveComparison.Difference

    /// A difference that the version of Apple's tools explains.
    private struct Rule: Sendable {
        let reason: String
        let applies: @Sendable (Difference) -> Bool

        init(_ reason: String, _ applies: @escaping @Sendable (Difference) -> Bool) {
            self.reason = reason
            self.applies = applies
        }
    }

    /// What the versions of the compiler write differently.
    private static let compilerRules = [
        Rule("the versions of the compiler and of Xcode, which older compilers do not tell") {
            $0.className == "NSManagedObjectModel" && $0.key.hasPrefix("CDMCompiler")
        },
        Rule("before Xcode 9 there were no fetch indexes") {
            $0.key == "NSFetchIndexDescriptions" && $0.apple == "-"
        },
        Rule("before Xcode 9 entities had compound indexes only if there were any, in an unchangeable list") {
            $0.key == "NSCompoundIndexes" && ["-", "NSArray"].contains($0.apple)
                && $0.ours == "NSMutableArray"
        },
    ]

    /// What the versions of the framework that made the store write differently.
    private static let storeRules =
        compilerRules + [
            Rule("texts of a model that was opened from an .omo file are of a mutable class") {
                $0.apple == "NSMutableString \($0.ours)"
                    && ["NSRenamingIdentifier", "NSDefaultValue", "NSValueTransformerName"].contains($0.key)
            },
            Rule("an entity without subentities out of an .omo file has no table of them") {
                $0.key == "NSSubentities" && $0.apple == "null" && $0.ours == "NSMutableDictionary"
            },
            Rule("the version identifiers out of an .omo file are in a set of a mutable class") {
                $0.key == "NSVersionIdentifiers" && $0.apple == "NSMutableSet" && $0.ours == "NSSet"
            },
            Rule("an .omo file has truth values as numbers") {
                $0.key == "NSDefaultValue"
                    && [["integer(0)", "boolean(false)"], ["integer(1)", "boolean(true)"]]
                        .contains([$0.apple, $0.ours])
            },
            Rule("the name of the class is what the program that made the store had, or is missing") {
                $0.key == "NSClassNameForEntity"
            },
            Rule("some frameworks wrote empty lists of indexes") {
                ["NSFetchIndexDescriptions", "NSCompoundIndexes"].contains($0.key)
                    && $0.apple == "NSMutableArray" && $0.ours == "-"
            },
            Rule("indexes that a framework made of old settings have lists of a mutable class") {
                $0.key == "NSIndexElements" && $0.apple == "NSMutableArray" && $0.ours == "NSArray"
            },
            Rule("indexes over several properties, made by a framework of old settings, left these empty") {
                $0.key == "NSCompoundIndexes" && $0.apple == "0 elements"
            },
        ]

    private struct Count: CustomStringConvertible {
        var pairs = 0
        var equal = 0
        var objects = 0
        var explained: [String: Int] = [:]
        var unexplained: [String] = []

        mutating func add(_ comparison: ArchiveComparison, _ path: String, rules: [Rule]) {
            pairs += 1
            objects += comparison.objects
            let before = unexplained.count
            for difference in comparison.differences {
                if let rule = rules.first(where: { $0.applies(difference) }) {
                    explained[rule.reason, default: 0] += 1
                } else {
                    unexplained.append("\(path): \(difference)")
                }
            }
            if before == unexplained.count { equal += 1 }
        }

        var description: String {
            var text = "\(equal) of \(pairs) archives equal, \(objects) objects; explained by versions:"
            for (reason, count) in explained.sorted(by: { $0.key < $1.key }) {
                text += "\n    \(count) × \(reason)"
            }
            return text
        }
    }

    @Test("Sources compile to the archives of Apple's compiler, but for differences of versions")
    func compilesAsAppleDoes() throws {
        var count = Count()
        for pair in try Corpus.table("PAIRS_mom_source.tsv") {
            // The table has one compiled model beside the source of the version before it.
            if pair[0].hasSuffix("/QMModel4.mom") { continue }
            let model = try NSManagedObjectModel(loading: Corpus.url(pair[1]))
            let comparison = try ArchiveComparison(
                apple: Data(contentsOf: Corpus.url(pair[0])), ours: model.compiledData())
            count.add(comparison, pair[0], rules: Self.compilerRules)
        }
        print("corpus: compiled from the source: \(count)")
        #expect(count.unexplained == [])
        #expect(count.pairs >= 28 && count.objects > 5_000)
    }

    @Test("Model caches of sources equal those in Apple's stores, but for differences of versions")
    func copiesForStoresAsAppleDoes() throws {
        var count = Count()
        for pair in try Corpus.table("PAIRS_modelcache_source.tsv") {
            let model = try NSManagedObjectModel(loading: Corpus.url(pair[1]))
            let isRenamed = pair[0].contains("XCServerCoreData_2.0.0_empty")
            let isOther = pair[0].hasSuffix("Moody.moody.8e6a205716e4.modelcache.bplist")
            let rules =
                Self.storeRules
                + (isRenamed
                    ? [
                        Rule("this framework dropped the names of indexes over one property") {
                            $0.key == "NSFetchIndexDescriptions" && $0.apple == "1 elements"
                                && $0.ours == "2 elements"
                        }
                    ] : [])
                + (isOther
                    ? [
                        Rule("the source was given a version identifier after the store was made") {
                            $0.key == "NSVersionIdentifiers" && $0.apple == "''"
                        }
                    ] : [])
            let comparison = try ArchiveComparison(
                apple: Data(contentsOf: Corpus.url(pair[0])), ours: model.modelCacheArchive())
            count.add(comparison, pair[0], rules: rules)
        }
        print("corpus: copies for stores from the source: \(count)")
        #expect(count.unexplained == [])
        #expect(count.pairs >= 23 && count.objects > 4_000)
    }

    /// Also the models without a source: what was read is written as it was, predicates and fetch requests included.
    @Test("Every compiled model is written as it was read, but for differences of versions")
    func writesEveryCompiledModelAsItWas() throws {
        var count = Count()
        let rules =
            Self.compilerRules + [
                Rule("old compilers wrote no flags of attributes") {
                    $0.key == "NSFlagsKey" && $0.apple == "-"
                },
                Rule("old compilers wrote no allocation type of fetch requests") {
                    $0.key == "NSAllocationType" && $0.apple == "-"
                },
            ]
        for path in Corpus.files(under: "mom").filter({ $0.hasSuffix(".mom") }) {
            let data = try Data(contentsOf: Corpus.url(path))
            let model = try NSManagedObjectModel(compiled: data)
            count.add(
                try ArchiveComparison(apple: data, ours: model.compiledData()), path, rules: rules)
            let copy = try NSManagedObjectModel(compiled: model.compiledData())
            #expect(copy == model, "\(path)")
            #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        }
        print("corpus: compiled models written as read: \(count)")
        #expect(count.unexplained == [])
        #expect(count.pairs >= 41)
    }

    @Test("Every model cache is written as it was read, but for differences of versions")
    func writesEveryCopyOfAStoreAsItWas() throws {
        var count = Count()
        let rules =
            Self.storeRules + [
                Rule("an old framework has proxies of what an entity inherits") {
                    $0.key == "NSProperties" && $0.apple == "_NSPropertyDescriptionProxy"
                },
                Rule("SwiftData sets an empty list of constraints") {
                    $0.key == "NSUniqueTuples" && $0.apple == "NSMutableArray" && $0.ours == "-"
                },
                Rule("SwiftData sets a dictionary that can be changed as default of a composite attribute") {
                    $0.key == "NSDefaultValue" && $0.apple == "NSMutableDictionary"
                        && $0.ours == "NSDictionary"
                },
            ]
        for path in Corpus.files(under: "modelcache").filter({ $0.hasSuffix(".bplist") }) {
            let data = try Data(contentsOf: Corpus.url(path))
            let model = try NSManagedObjectModel(modelCacheArchive: data)
            let written = try model.modelCacheArchive()
            count.add(try ArchiveComparison(apple: data, ours: written), path, rules: rules)
            #expect(try NSManagedObjectModel(modelCacheArchive: written) == model, "\(path)")
        }
        print("corpus: copies of stores written as read: \(count)")
        #expect(count.unexplained == [])
        #expect(count.pairs >= 36)
    }
}
