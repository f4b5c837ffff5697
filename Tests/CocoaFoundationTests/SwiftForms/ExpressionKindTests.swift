import CocoaFoundation
import TestSupport
import Testing

/// Every kind of expression that Foundation has for `#Predicate`: what becomes of it, or why Swift's own code evaluates it.
@Suite struct ExpressionKindTests {
    struct Kind: CustomTestStringConvertible, @unchecked Sendable {
        let name: String
        let predicate: Predicate<Volume>
        /// The text of the `NSPredicate`, or words of the error.
        let outcome: Outcome
        var testDescription: String { name }

        enum Outcome {
            case format(String)
            case refusal(String)
        }

        init(_ name: String, _ predicate: Predicate<Volume>, _ format: String) {
            self.init(name, predicate, .format(format))
        }

        init(_ name: String, _ predicate: Predicate<Volume>, _ outcome: Outcome) {
            self.name = name
            self.predicate = predicate
            self.outcome = outcome
        }
    }

    private static let doubled = #Expression<Volume, Int> { $0.pages * 2 }
    private static let sum = #Expression<Int, Int, Int> { $0 + $1 }
    private static let isThick = #Expression<Volume, Bool> { volume in
        volume.pages > 5 && volume.parts.filter { $0.pages > volume.pages }.count == 0
    }
    private static let word = "mm"
    private static let same = ComparisonResult.orderedSame

    // What is tested is the force unwrap.
    // swift-format-ignore: NeverForceUnwrap
    static let kinds: [Kind] = [
        Kind("Variable", #Predicate { $0 == $0 }, "SELF == SELF"),
        Kind("KeyPath", #Predicate { $0.isRead }, "isRead == 1"),
        Kind("Value", #Predicate { $0.title == "Emma" }, #"title == "Emma""#),
        Kind("NilLiteral", #Predicate { $0.origin == nil }, "origin == nil"),
        Kind("Equal", #Predicate { $0.pages == 7 }, "pages == 7"),
        Kind("NotEqual", #Predicate { $0.pages != 7 }, "pages != 7"),
        Kind("Comparison", #Predicate { $0.pages < 7 }, "pages < 7"),
        Kind("Conjunction", #Predicate { $0.isRead && $0.pages < 7 }, "isRead == 1 AND pages < 7"),
        Kind("Disjunction", #Predicate { $0.isRead || $0.pages < 7 }, "isRead == 1 OR pages < 7"),
        Kind("Negation", #Predicate { !$0.isRead }, "NOT isRead == 1"),
        Kind("Conditional", #Predicate { ($0.isRead ? 1 : 2) == 2 }, "TERNARY(isRead == 1, 1, 2) == 2"),
        Kind("Arithmetic", #Predicate { $0.pages + 1 == 8 }, "pages + 1 == 8"),
        Kind("IntDivision", #Predicate { $0.pages / 2 == 3 }, "pages / 2 == 3"),
        Kind("FloatDivision", #Predicate { $0.price / 2 == 1 }, "price / 2.0 == 1.0"),
        Kind("IntRemainder", #Predicate { $0.pages % 5 == 2 }, "modulus:by:(pages, 5) == 2"),
        Kind("UnaryMinus", #Predicate { -$0.pages == 4 }, "-1 * pages == 4"),
        Kind("Range", #Predicate { (-9..<$0.pages).contains(2) }, "2 >= -9 AND 2 < pages"),
        Kind("ClosedRange", #Predicate { (-9...$0.pages).contains(3) }, "3 BETWEEN {-9, pages}"),
        Kind("RangeExpressionContains", #Predicate { (7...12).contains($0.pages) }, "pages BETWEEN {7, 12}"),
        Kind(
            "OptionalFlatMap", #Predicate { $0.subtitle.flatMap { $0 == "Maps" } == true },
            #"TERNARY(subtitle != nil, TERNARY(subtitle == "Maps", 1, 0), nil) == 1"#),
        Kind(
            "NilCoalesce", #Predicate { ($0.subtitle ?? "none") == "none" },
            #"TERNARY(subtitle != nil, subtitle, "none") == "none""#),
        Kind(
            "ForcedUnwrap", #Predicate { $0.subtitle != nil && $0.subtitle! == "Maps" },
            #"subtitle != nil AND subtitle == "Maps""#),
        Kind("SequenceContains", #Predicate { $0.tags.contains("z") }, #""z" IN tags"#),
        Kind(
            "SequenceContainsWhere", #Predicate { $0.parts.contains { $0.pages > 8 } },
            "SUBQUERY(parts, $element1, $element1.pages > 8).@count != 0"),
        Kind(
            "SequenceAllSatisfy", #Predicate { $0.parts.allSatisfy { $0.pages > 8 } },
            "SUBQUERY(parts, $element1, $element1.pages > 8).@count == parts.@count"),
        Kind(
            "SequenceStartsWith", #Predicate { $0.title.starts(with: "Em") }, #"title BEGINSWITH "Em""#),
        Kind("SequenceStartsWith", #Predicate { $0.tags.starts(with: ["a"]) }, .refusal("begins with")),
        Kind("SequenceMaximum", #Predicate { $0.tags.max() == "b" }, #"max:(tags) == "b""#),
        Kind("SequenceMinimum", #Predicate { $0.tags.min() == "a" }, #"min:(tags) == "a""#),
        Kind(
            "Filter", #Predicate { $0.parts.filter { $0.pages > 3 }.count == 1 },
            "SUBQUERY(parts, $element1, $element1.pages > 3).@count == 1"),
        Kind(
            "CollectionContainsCollection", #Predicate { $0.title.contains(word) }, #"title CONTAINS "mm""#),
        Kind(
            "CollectionContainsCollection", #Predicate { $0.tags.contains(["a", "b"]) },
            .refusal("another one")),
        Kind(
            "CollectionIndexSubscript", #Predicate { $0.tags.count > 1 && $0.tags[1] == "b" },
            #"tags.@count > 1 AND tags[1] == "b""#),
        Kind(
            "CollectionRangeSubscript", #Predicate { $0.tags[0..<1].isEmpty },
            .refusal("index there selects one")
        ),
        Kind("DictionaryKeySubscript", #Predicate { $0.scores["x"] == 1 }, #"scores["x"] == 1"#),
        Kind(
            "DictionaryKeyDefaultValueSubscript", #Predicate { $0.scores["x", default: 3] == 3 },
            #"TERNARY(scores["x"] != nil, scores["x"], 3) == 3"#),
        Kind(
            "TypeCheck", #Predicate { $0 is Folio }, #"CAST(SELF, "CocoaFoundationTests.Folio") != nil"#),
        Kind("TypeCheck", #Predicate { $0.anything is Int }, .refusal("not the type of a value")),
        Kind(
            "ConditionalCast", #Predicate { ($0.origin as? Folio)?.height == 3 },
            #"CAST(origin, "CocoaFoundationTests.Folio").height == 3"#),
        Kind(
            "ConditionalCast", #Predicate { if let folio = $0 as? Folio { folio.height > 1 } else { false } },
            #"CAST(SELF, "CocoaFoundationTests.Folio") != nil AND CAST(SELF, "CocoaFoundationTests.Folio").height > 1"#
        ),
        Kind(
            "ConditionalCast", #Predicate { ($0.anything as? Int) == 1 },
            .refusal("not the type of a value")),
        Kind(
            "ForceCast",
            Predicate { volume in
                PredicateExpressions.build_Conjunction(
                    lhs: PredicateExpressions.TypeCheck<_, Folio>(volume),
                    rhs: PredicateExpressions.build_Equal(
                        lhs: PredicateExpressions.build_KeyPath(
                            root: PredicateExpressions.ForceCast<_, Folio>(volume), keyPath: \.height),
                        rhs: PredicateExpressions.build_Arg(3)))
            },
            #"CAST(SELF, "CocoaFoundationTests.Folio") != nil AND CAST(SELF, "CocoaFoundationTests.Folio").height == 3"#
        ),
        // The macro of Swift 6.3 does not take `evaluate` on Linux.
        Kind(
            "ExpressionEvaluate",
            Predicate { volume in
                PredicateExpressions.build_Comparison(
                    lhs: PredicateExpressions.build_evaluate(ConstantExpression(doubled), volume),
                    rhs: PredicateExpressions.build_Arg(20), op: .greaterThan)
            }, "pages * 2 > 20"),
        Kind(
            "ExpressionEvaluate",
            Predicate { volume in
                PredicateExpressions.build_Equal(
                    lhs: PredicateExpressions.build_evaluate(
                        ConstantExpression(sum),
                        PredicateExpressions.build_evaluate(ConstantExpression(doubled), volume),
                        PredicateExpressions.build_KeyPath(root: volume, keyPath: \.pages)),
                    rhs: PredicateExpressions.build_Arg(21))
            }, "pages * 2 + pages == 21"),
        Kind(
            "ExpressionEvaluate",
            Predicate { volume in
                PredicateExpressions.build_contains(
                    PredicateExpressions.build_KeyPath(root: volume, keyPath: \.parts)
                ) { part in
                    PredicateExpressions.build_evaluate(ConstantExpression(isThick), part)
                }
            },
            "SUBQUERY(parts, $element1, $element1.pages > 5 AND SUBQUERY($element1.parts, $element2, $element2.pages > $element1.pages).@count == 0).@count != 0"
        ),
        Kind(
            "ExpressionEvaluate",
            Predicate { volume in
                PredicateExpressions.build_Equal(
                    lhs: PredicateExpressions.build_evaluate(
                        PredicateExpressions.build_Conditional(
                            PredicateExpressions.build_KeyPath(root: volume, keyPath: \.isRead),
                            ConstantExpression(doubled), ConstantExpression(doubled)),
                        volume),
                    rhs: PredicateExpressions.build_Arg(3))
            }, .refusal("no expressions as values")),
        Kind(
            "StringLocalizedStandardContains", #Predicate { $0.title.localizedStandardContains("ETE") },
            #"title CONTAINS[cdl] "ETE""#),
        Kind(
            "StringLocalizedCompare", #Predicate { $0.title.localizedCompare("Emma") == same },
            #"title ==[l] "Emma""#),
        Kind(
            "StringCaseInsensitiveCompare", #Predicate { $0.title.caseInsensitiveCompare("EMMA") == same },
            #"title ==[c] "EMMA""#),
    ]

    private static var entries: [Volume] {
        let folio = Folio("Folio", pages: 3)
        folio.height = 3
        let bound = Volume("Bound", pages: 7)
        bound.origin = folio
        return Catalogue.entries + [folio, bound]
    }

    @Test(
        "Every kind of expression is converted or evaluated by Swift, with the same result",
        arguments: kinds)
    func kind(_ kind: Kind) throws {
        let type = "\(type(of: kind.predicate.expression))"
        #expect(type.split { !$0.isLetter }.contains { $0 == kind.name }, "\(type)")
        switch kind.outcome {
        case .refusal(let words):
            #expect {
                try NSPredicate(converting: kind.predicate)
            } throws: {
                ($0 as? SwiftPredicateError)?.description.contains(words) ?? false
            }
            // Swift's own code evaluates it then.
            let predicate = try #require(NSPredicate(kind.predicate))
            #expect(predicate.description.contains(words))
            for entry in Self.entries {
                let expected = try? kind.predicate.evaluate(entry)
                #expect(predicate.evaluate(with: entry) == expected ?? false, "\(entry.title)")
            }
        case .format(let format):
            let predicate = try NSPredicate(converting: kind.predicate)
            #expect(predicate.formatString == format)
            #expect(try NSPredicate(parsing: format) == predicate)
            for entry in Self.entries {
                let expected = try kind.predicate.evaluate(entry)
                #expect(try predicate.matches(entry) == expected, "\(entry.title)")
            }
        }
    }

    /// A regular expression has no counterpart in the memory of Swift's predicates that is compared above: `MATCHES` has
    /// the dialect of ICU.
    @Test("A regular expression becomes a MATCHES comparison")
    func regularExpressions() throws {
        let expression = #/m+a$/#
        let predicate = #Predicate<Volume> { $0.title.contains(expression) }
        #expect("\(type(of: predicate.expression))".contains("StringContainsRegex"))
        #expect(
            try NSPredicate(converting: predicate).formatString
                == #"title MATCHES "(?s:.*)(?:m+a$)(?s:.*)""#)
    }

    /// The structures of `PredicateExpressions` in Foundation of Swift 6.3 that are expressions, and ours.
    @Test("The table of this test has every kind of expression")
    func theTableHasEveryKind() {
        let names = """
            Arithmetic ClosedRange CollectionContainsCollection CollectionIndexSubscript CollectionRangeSubscript \
            Comparison Conditional ConditionalCast Conjunction DictionaryKeyDefaultValueSubscript DictionaryKeySubscript \
            Disjunction Equal ExpressionEvaluate Filter FloatDivision ForceCast ForcedUnwrap IntDivision IntRemainder \
            KeyPath Negation NilCoalesce NilLiteral NotEqual OptionalFlatMap Range RangeExpressionContains \
            SequenceAllSatisfy SequenceContains SequenceContainsWhere SequenceMaximum SequenceMinimum \
            SequenceStartsWith StringContainsRegex TypeCheck UnaryMinus Value Variable \
            StringCaseInsensitiveCompare StringLocalizedCompare StringLocalizedStandardContains
            """.split(separator: " ").map(String.init)
        #expect(Set(names) == Set(Self.kinds.map(\.name)).union(["StringContainsRegex"]))
    }
}
