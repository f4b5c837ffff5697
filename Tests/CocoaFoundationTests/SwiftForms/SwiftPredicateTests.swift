import CocoaFoundation
import Testing

/// `NSPredicate` made of `#Predicate`: its text, and the same answer as Swift's own.
@Suite struct SwiftPredicateTests {
    struct Case: CustomTestStringConvertible, @unchecked Sendable {
        let predicate: Predicate<Volume>
        let format: String
        var testDescription: String { format }

        init(_ predicate: Predicate<Volume>, _ format: String) {
            self.predicate = predicate
            self.format = format
        }
    }

    @Test(
        "A converted Swift predicate prints as expected and has the same value",
        arguments: comparisons + logic + optionals + numbers + collections + texts)
    func textAndValue(_ item: Case) throws {
        let converted = try NSPredicate(converting: item.predicate)
        #expect(converted.formatString == item.format)
        // What can be written is read back.
        #expect(try NSPredicate(parsing: converted.formatString).formatString == item.format)
        for entry in Catalogue.entries {
            let expected = try item.predicate.evaluate(entry)
            #expect(converted.evaluate(with: entry) == expected, "\(entry.title)")
        }
        #expect(NSPredicate(item.predicate) == converted)
    }

    private static let seven = 7
    private static let names = ["Emma", "Unread"]
    private static let emma = "Emma"
    private static let ascending = ComparisonResult.orderedAscending
    private static let same = ComparisonResult.orderedSame
    private static let descending = ComparisonResult.orderedDescending
    private static let moment = Date(timeIntervalSinceReferenceDate: 150)

    static let comparisons: [Case] = [
        Case(#Predicate { $0.title == "Emma" }, #"title == "Emma""#),
        Case(#Predicate { $0.title != "Emma" }, #"title != "Emma""#),
        Case(#Predicate { $0.pages < 7 }, "pages < 7"),
        Case(#Predicate { $0.pages <= seven }, "pages <= 7"),
        Case(#Predicate { $0.pages > 7 }, "pages > 7"),
        Case(#Predicate { $0.pages >= 7 }, "pages >= 7"),
        Case(#Predicate { 7 <= $0.pages }, "7 <= pages"),
        Case(#Predicate { $0.isRead }, "isRead == 1"),
        Case(#Predicate { $0.isRead == false }, "isRead == 0"),
        Case(#Predicate { ($0.pages > 7) == true }, "pages > 7"),
        Case(#Predicate { ($0.pages > 7) == false }, "NOT pages > 7"),
        Case(#Predicate { ($0.pages > 7) != true }, "NOT pages > 7"),
        Case(#Predicate { ($0.pages > 7) == $0.isRead }, "TERNARY(pages > 7, 1, 0) == isRead"),
        Case(#Predicate { (7...12).contains($0.pages) }, "pages BETWEEN {7, 12}"),
        Case(#Predicate { (7..<12).contains($0.pages) }, "pages >= 7 AND pages < 12"),
        Case(#Predicate { (-9...$0.pages).contains(3) }, "3 BETWEEN {-9, pages}"),
        Case(
            Predicate<Volume> { entry in
                PredicateExpressions.build_contains(
                    PredicateExpressions.build_Arg(8...),
                    PredicateExpressions.build_KeyPath(root: entry, keyPath: \.pages))
            }, "pages >= 8"),
        Case(
            Predicate<Volume> { entry in
                PredicateExpressions.build_contains(
                    PredicateExpressions.build_Arg(..<8),
                    PredicateExpressions.build_KeyPath(root: entry, keyPath: \.pages))
            }, "pages < 8"),
        Case(
            Predicate<Volume> { entry in
                PredicateExpressions.build_contains(
                    PredicateExpressions.build_Arg(...7),
                    PredicateExpressions.build_KeyPath(root: entry, keyPath: \.pages))
            }, "pages <= 7"),
        Case(.true, "TRUEPREDICATE"),
        Case(.false, "FALSEPREDICATE"),
    ]

    static let logic: [Case] = [
        Case(
            #Predicate { $0.pages > 1 && $0.pages < 9 && $0.title == "Emma" },
            #"pages > 1 AND pages < 9 AND title == "Emma""#),
        Case(
            #Predicate { $0.pages > 9 || $0.pages < 0 && $0.isRead == false },
            "pages > 9 OR (pages < 0 AND isRead == 0)"),
        Case(#Predicate { !($0.pages > 9 || $0.isRead) }, "NOT (pages > 9 OR isRead == 1)"),
        Case(#Predicate { !$0.isRead }, "NOT isRead == 1"),
        Case(
            #Predicate { $0.isRead ? $0.pages > 10 : $0.pages > 5 },
            "TERNARY(isRead == 1, TERNARY(pages > 10, 1, 0), TERNARY(pages > 5, 1, 0)) == 1"),
        Case(#Predicate { ($0.isRead ? 1 : 2) == 2 }, "TERNARY(isRead == 1, 1, 2) == 2"),
    ]

    // What is tested is the force unwrap.
    // swift-format-ignore: NeverForceUnwrap
    static let optionals: [Case] = [
        Case(#Predicate { $0.subtitle == nil }, "subtitle == nil"),
        Case(#Predicate { $0.subtitle != nil }, "subtitle != nil"),
        Case(#Predicate { $0.subtitle == "Maps" }, #"subtitle == "Maps""#),
        Case(
            #Predicate { $0.subtitle != nil && $0.subtitle! == "Maps" },
            #"subtitle != nil AND subtitle == "Maps""#),
        Case(#Predicate { $0.origin?.title == "Emma" }, #"origin.title == "Emma""#),
        Case(#Predicate { $0.origin?.origin?.title == "Atlas" }, #"origin.origin.title == "Atlas""#),
        Case(
            #Predicate { ($0.subtitle ?? "none") == "none" },
            #"TERNARY(subtitle != nil, subtitle, "none") == "none""#),
        Case(#Predicate { $0.isLent ?? false }, "isLent != nil AND isLent == 1"),
        Case(#Predicate { $0.isLent ?? true }, "isLent == nil OR isLent == 1"),
        Case(
            #Predicate { $0.isLent ?? $0.isRead },
            "(isLent != nil AND isLent == 1) OR (isLent == nil AND isRead == 1)"),
        Case(
            #Predicate { if let subtitle = $0.subtitle { subtitle == "Maps" } else { false } },
            #"subtitle != nil AND subtitle == "Maps""#),
        Case(
            #Predicate { $0.subtitle?.starts(with: "M") ?? true },
            #"subtitle == nil OR subtitle BEGINSWITH "M""#),
        Case(
            #Predicate { ($0.subtitle?.count ?? 9) > 3 },
            "TERNARY(TERNARY(subtitle != nil, length:(subtitle), nil) != nil, TERNARY(subtitle != nil, length:(subtitle), nil), 9) > 3"
        ),
        Case(
            #Predicate { $0.date ?? moment > moment },
            "TERNARY(date != nil, date, CAST(150.0, \"NSDate\")) > CAST(150.0, \"NSDate\")"),
        Case(
            #Predicate { $0.subtitle.flatMap { $0 == "Maps" } == true },
            #"TERNARY(subtitle != nil, TERNARY(subtitle == "Maps", 1, 0), nil) == 1"#),
    ]

    static let numbers: [Case] = [
        Case(#Predicate { $0.pages + 1 == 8 }, "pages + 1 == 8"),
        Case(#Predicate { $0.pages - 1 == 6 }, "pages - 1 == 6"),
        Case(#Predicate { $0.pages * 2 == 14 }, "pages * 2 == 14"),
        Case(#Predicate { $0.pages / 2 == 3 }, "pages / 2 == 3"),
        Case(#Predicate { $0.pages / 3 == -1 }, "pages / 3 == -1"),
        Case(#Predicate { $0.price / 2 == 1 }, "price / 2.0 == 1.0"),
        Case(#Predicate { $0.pages % 5 == 2 }, "modulus:by:(pages, 5) == 2"),
        Case(#Predicate { -$0.pages == 4 }, "-1 * pages == 4"),
    ]

    static let collections: [Case] = [
        Case(#Predicate { names.contains($0.title) }, #"title IN {"Emma", "Unread"}"#),
        Case(#Predicate { $0.tags.contains("z") }, #""z" IN tags"#),
        Case(#Predicate { $0.tags.count == 2 }, "tags.@count == 2"),
        Case(#Predicate { $0.tags.isEmpty }, "tags.@count == 0"),
        Case(#Predicate { $0.tags.first == "a" }, #"tags[FIRST] == "a""#),
        Case(#Predicate { $0.tags.last == "b" }, #"tags[LAST] == "b""#),
        Case(#Predicate { $0.tags.count > 1 && $0.tags[1] == "b" }, #"tags.@count > 1 AND tags[1] == "b""#),
        Case(#Predicate { $0.scores["x"] == 1 }, #"scores["x"] == 1"#),
        Case(
            #Predicate { $0.scores["x", default: 3] == 3 },
            #"TERNARY(scores["x"] != nil, scores["x"], 3) == 3"#),
        Case(
            #Predicate { $0.parts.contains { $0.pages > 8 } },
            "SUBQUERY(parts, $element1, $element1.pages > 8).@count != 0"),
        Case(
            #Predicate { $0.parts.allSatisfy { $0.pages > 8 } },
            "SUBQUERY(parts, $element1, $element1.pages > 8).@count == parts.@count"),
        Case(
            #Predicate { entry in entry.parts.filter { $0.pages > entry.pages }.count == 1 },
            "SUBQUERY(parts, $element1, $element1.pages > pages).@count == 1"),
        Case(
            #Predicate {
                $0.parts.contains { part in
                    part.tags.isEmpty && part.parts.allSatisfy { $0.pages > part.pages }
                }
            },
            "SUBQUERY(parts, $element1, $element1.tags.@count == 0 AND SUBQUERY($element1.parts, $element2, $element2.pages > $element1.pages).@count == $element1.parts.@count).@count != 0"
        ),
        Case(#Predicate { $0.tags.max() == "b" }, #"max:(tags) == "b""#),
        Case(#Predicate { $0.tags.min() == "a" }, #"min:(tags) == "a""#),
    ]

    static let texts: [Case] = [
        Case(#Predicate { $0.title.contains("mm") }, #"title CONTAINS "mm""#),
        Case(#Predicate { $0.title.starts(with: "Em") }, #"title BEGINSWITH "Em""#),
        Case(#Predicate { $0.title.count == 4 }, "length:(title) == 4"),
        Case(#Predicate { $0.title.isEmpty }, #"title == """#),
        Case(#Predicate { $0.title.localizedStandardContains("ETE") }, #"title CONTAINS[cdl] "ETE""#),
        Case(
            #Predicate { $0.title.localizedCompare(emma) == ascending }, #"title <[l] "Emma""#),
        Case(
            #Predicate { $0.title.caseInsensitiveCompare("EMMA") == same }, #"title ==[c] "EMMA""#),
        Case(
            #Predicate { $0.title.caseInsensitiveCompare("EMMA") != descending }, #"title <=[c] "EMMA""#),
    ]

    @Test("A Swift regular expression becomes a MATCHES comparison that finds the same")
    func regularExpressions() throws {
        let expression = #/m+a$/#
        let predicate = #Predicate<Volume> { $0.title.contains(expression) }
        let converted = try NSPredicate(converting: predicate)
        #expect(converted.formatString == #"title MATCHES "(?s:.*)(?:m+a$)(?s:.*)""#)
        for entry in Catalogue.entries {
            #expect(converted.evaluate(with: entry) == (entry.title == "Emma"))
        }
    }

    @Test("A cast to a superclass is dropped")
    func upcasts() throws {
        let force = Predicate<Volume> { volume in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_KeyPath(
                    root: PredicateExpressions.ForceCast<_, Volume>(volume), keyPath: \.pages),
                rhs: PredicateExpressions.build_Arg(7))
        }
        #expect(try NSPredicate(converting: force).formatString == "pages == 7")
        let check = Predicate<Volume> { PredicateExpressions.TypeCheck<_, NSObject>($0) }
        #expect(try NSPredicate(converting: check).formatString == "TRUEPREDICATE")
        let attempt = Predicate<Volume> { volume in
            PredicateExpressions.build_NotEqual(
                lhs: PredicateExpressions.ConditionalCast<_, NSObject>(volume),
                rhs: PredicateExpressions.build_NilLiteral())
        }
        #expect(try NSPredicate(converting: attempt).formatString == "SELF != nil")
    }

    // MARK: What has no equivalent

    @Test("A Swift predicate with an unnamed key path cannot be converted")
    func unknownKeys() { refuse(#Predicate { $0.secret == 1 }, "No key", "Volume") }
    @Test("A cast of a value cannot be converted")
    func downcastsOfValues() { refuse(#Predicate { ($0.anything as? Int) == 1 }, "Any", "Int") }
    @Test("A type check of a value cannot be converted")
    func typeChecksOfValues() { refuse(#Predicate { $0.anything is Int }, "Any", "Int") }

    @Test("A constant of an unknown type cannot be converted")
    func strangeConstants() {
        struct Strange: Codable, Equatable, Sendable {}
        let strange = Strange()
        refuse(#Predicate { _ in strange == strange }, "Strange")
    }

    @Test("A predicate about characters of a string is evaluated by Swift")
    func charactersOfAStringInMemory() throws {
        let predicate = #Predicate<Volume> { $0.title.first == $0.title.last }
        refuse(predicate, "characters of a string")
        let evaluated = try #require(NSPredicate(predicate))
        #expect(Catalogue.entries.filter(evaluated.evaluate(with:)).map(\.title) == ["été"])
        #expect((Catalogue.entries as NSArray).filtered(using: evaluated).count == 1)
        let not = NSCompoundPredicate(notPredicateWithSubpredicate: evaluated)
        #expect(Catalogue.entries.filter(not.evaluate(with:)).map(\.title) == ["Atlas", "Emma"])
        #expect(evaluated == evaluated.copy() as? NSPredicate && evaluated != NSPredicate(predicate))
        #expect(evaluated.withSubstitutionVariables(["x": 1]) === evaluated)
    }

    @Test("An error of a predicate evaluated by Swift has a cause and a reason")
    func errorsOfSwiftsCode() throws {
        let predicate = try #require(NSPredicate(#Predicate<Volume> { $0.tags[0..<2].isEmpty }))
        let emma = Catalogue.entries[1]
        #expect(!predicate.evaluate(with: emma))
        let error = #expect(throws: PredicateEvaluationError.self) { try predicate.matches(emma) }
        #expect(error?.cause == .values)
        #expect(!predicate.evaluate(with: nil))
        let other = #expect(throws: PredicateEvaluationError.self) { try predicate.matches(NSObject()) }
        #expect(other?.cause == .predicate)
        #expect(other?.reason.contains("Volume") == true)
        #expect(other?.reason.contains("CollectionRangeSubscript") == true)
    }

    @Test("A Swift predicate converts to a comparison only if it is one")
    func asASubclass() {
        #expect(NSComparisonPredicate(#Predicate<Volume> { $0.pages == 7 })?.formatString == "pages == 7")
        #expect(NSComparisonPredicate(#Predicate<Volume> { $0.secret == 7 }) == nil)
        #expect(NSComparisonPredicate(#Predicate<Volume> { $0.isRead || $0.pages == 7 }) == nil)
    }

    private func refuse(_ predicate: Predicate<Volume>, _ words: String...) {
        #expect(NSPredicate(predicate)?.isEqual(NSPredicate(predicate)) == false)
        #expect {
            try NSPredicate(converting: predicate)
        } throws: { error in
            words.allSatisfy { "\(error)".contains($0) }
        }
    }
}
