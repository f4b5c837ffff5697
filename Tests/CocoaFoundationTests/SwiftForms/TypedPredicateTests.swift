import CocoaFoundation
@testable import CoreDataTypedPredicates
import Testing

/// Conditions written with key paths: their texts, and what they find.
@Suite struct TypedPredicateTests {
    private func check(_ condition: TypedPredicate<Volume>, _ format: String, _ found: String...) {
        #expect(condition.predicate.formatString == format)
        let titles = Catalogue.entries.filter { condition.predicate.evaluate(with: $0) }.map(\.title)
        #expect(titles == found, "\(format)")
    }

    @Test("Typed equality converts to a comparison with a value or nil")
    func equality() {
        check(\.title == "Emma", #"title == "Emma""#, "Emma")
        check(\.title != "Emma", #"title != "Emma""#, "Atlas", "été")
        check(\.subtitle == nil, "subtitle == nil", "Emma")
        check(\.subtitle != nil, "subtitle != nil", "Atlas", "été")
        check(\.subtitle == "Maps", #"subtitle == "Maps""#, "Atlas")
        check(\.isRead == true, "isRead == 1", "Atlas")
        let noText: String? = nil
        check(\.subtitle == noText, "subtitle == nil", "Emma")
    }

    @Test("A case of an enumeration stands for its raw value")
    func enumerations() {
        enum Size: Int16 { case small = 7, large = 12 }
        let pages = \Volume.pages
        let exact = TypedPredicate(pages, .equalTo, Size.small)
        #expect(exact.predicate.formatString == "pages == 7")
        let some = TypedPredicate(pages, .in, [Size.small, Size.large])
        #expect(some.predicate.formatString == "pages IN {7, 12}")
    }

    @Test("Typed order converts to a comparison")
    func order() {
        check(\.pages < 7, "pages < 7", "été")
        check(\.pages <= 7, "pages <= 7", "Emma", "été")
        check(\.pages > 7, "pages > 7", "Atlas")
        check(\.pages >= 7, "pages >= 7", "Atlas", "Emma")
        let moment = Date(timeIntervalSinceReferenceDate: 150)
        check(\.date < moment, #"date < CAST(150.0, "NSDate")"#, "Atlas")
        check(\.date >= moment, #"date >= CAST(150.0, "NSDate")"#, "été")
    }

    @Test("Typed ranges and lists convert to BETWEEN and IN")
    func rangesAndValues() {
        check(7...12 ~= \.pages, "pages BETWEEN {7, 12}", "Atlas", "Emma")
        check(7..<12 ~= \.pages, "pages >= 7 AND pages < 12", "Emma")
        check((\Volume.pages).between(7...12), "pages BETWEEN {7, 12}", "Atlas", "Emma")
        let moment = Date(timeIntervalSinceReferenceDate: 150)
        check(
            (\Volume.date).between(Date(timeIntervalSinceReferenceDate: 0)...moment),
            #"date BETWEEN {CAST(0.0, "NSDate"), CAST(150.0, "NSDate")}"#, "Atlas")
        check(["Emma", "x"] ~= \.title, #"title IN {"Emma", "x"}"#, "Emma")
        check((\Volume.title).in(["Emma", "x"]), #"title IN {"Emma", "x"}"#, "Emma")
        check((\Volume.subtitle).in(["Maps", "x"]), #"subtitle IN {"Maps", "x"}"#, "Atlas")
    }

    @Test("Typed string operators convert to comparisons with options")
    func strings() {
        check((\Volume.title).contains("MM", .caseInsensitive), #"title CONTAINS[c] "MM""#, "Emma")
        check((\Volume.title).beginsWith("At"), #"title BEGINSWITH "At""#, "Atlas")
        check((\Volume.title).endsWith("é"), #"title ENDSWITH "é""#, "été")
        check((\Volume.title).like("?m*"), #"title LIKE "?m*""#, "Emma")
        check((\Volume.subtitle).matches("M.*"), #"subtitle MATCHES "M.*""#, "Atlas")
        check(
            (\Volume.title).equals("ETE", [.caseInsensitive, .diacriticInsensitive]), #"title ==[cd] "ETE""#,
            "été")
    }

    @Test("Typed conditions combine by AND, OR and NOT")
    func logic() {
        check(\.pages > 5 && \.isRead == false, "pages > 5 AND isRead == 0", "Emma")
        check(\.pages > 7 || \.pages < 0, "pages > 7 OR pages < 0", "Atlas", "été")
        check(!(\.pages > 7 || \.pages < 0), "NOT (pages > 7 OR pages < 0)", "Emma")
        check(
            \.pages > 0 && \.pages < 20 && (\.title == "Emma" || \.subtitle != nil) && \.price > 1,
            #"pages > 0 AND pages < 20 AND (title == "Emma" OR subtitle != nil) AND price > 1.0"#, "Atlas",
            "Emma")
    }

    @Test("Typed conditions compare objects and quantify over elements")
    func objectsAndElements() {
        let entries = Catalogue.entries
        let condition: TypedPredicate<Volume> = \.origin === entries[1]
        #expect(entries.filter { condition.predicate.evaluate(with: $0) }.map(\.title) == ["été"])
        check(\.origin === nil, "origin == nil", "Atlas")
        check(\.origin !== nil, "origin != nil", "Emma", "été")
        check(
            (\Volume.parts).any(\.pages > 8), "SUBQUERY(parts, $element, $element.pages > 8).@count != 0",
            "Emma", "été")
        check(
            (\Volume.parts).all(\.pages > 8),
            "SUBQUERY(parts, $element, $element.pages > 8).@count == parts.@count",
            "Atlas",
            "été")
        check(
            (\Volume.parts).none(\.pages > 8), "SUBQUERY(parts, $element, $element.pages > 8).@count == 0",
            "Atlas")
        check(
            (\Volume.parts).any((\Volume.parts).none(\.title == "x") && \.title == "One"),
            #"SUBQUERY(parts, $element1, SUBQUERY($element1.parts, $element, $element.title == "x").@count == 0 AND $element1.title == "One").@count != 0"#,
            "Emma")
    }

    /// The operators do not get in the way of those that the language has.
    @Test("Key paths are still compared by the operators of Swift")
    func keyPathsAreStillComparable() {
        let path = \Volume.title
        #expect(path == \Volume.title)
        #expect(path === path)
        let isSame: Bool = path == \Volume.title
        #expect(isSame)
        let untyped = \Volume.pages == 3
        #expect(untyped.predicate.formatString == "pages == 3")
    }
}
