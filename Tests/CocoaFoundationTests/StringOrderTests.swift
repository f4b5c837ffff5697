import CocoaFoundation
import Testing

/// The orders of strings: each is one order, whichever string comes first in a comparison, and in whatever
/// form.
@Suite struct StringOrderTests {
    private static let pieces = [
        "a", "A", "b", "é", "e\u{301}", "E", " ", "-", "_", "1", "2", "10", "ß", "ss", "ﬁ", "I", "ı", "İ",
        "\u{0}", "😀",
        "日", "ア", "ｱ", "\u{200D}", "ö", "Ö", "'", "’", "\u{AD}", "\u{651}", "א", "½", "Ω", "ω", "ς", "σ",
    ]

    /// Texts of up to six pieces, the same in every run.
    private static func texts(_ count: Int) -> [String] {
        var state: UInt64 = 20_010_101
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        return (0..<count).map { _ in (0..<next(7)).map { _ in pieces[next(pieces.count)] }.joined() }
    }

    @Test("Exchanging two strings reverses their order", arguments: StringOrder.allCases)
    func bothWaysRound(_ order: StringOrder) {
        let texts = Self.texts(2000)
        for (left, right) in zip(texts, texts.dropFirst() + texts.prefix(1)) {
            #expect(
                order.order(left, right).rawValue == -order.order(right, left).rawValue, "\(left) \(right)")
            #expect(order.order(left, left) == .orderedSame)
        }
    }

    /// Sorted from any arrangement, texts that differ in the order end up in the same places.
    @Test("Sorting gives one result from any arrangement", arguments: StringOrder.allCases)
    func sortingGivesOneResult(_ order: StringOrder) {
        let texts = Self.texts(200)
        let forwards = texts.sorted { order.order($0, $1) == .orderedAscending }
        let backwards = Array(texts.reversed()).sorted { order.order($0, $1) == .orderedAscending }
        #expect(zip(forwards, backwards).allSatisfy { order.order($0, $1) == .orderedSame })
        #expect(zip(forwards, forwards.dropFirst()).allSatisfy { order.order($0, $1) != .orderedDescending })
    }

    /// What stands before a text stands before all that this stands before.
    @Test("The order of strings is transitive", arguments: StringOrder.allCases)
    func noCircles(_ order: StringOrder) {
        let texts = Self.texts(150)
        let results = texts.map { left in texts.map { order.order(left, $0).rawValue } }
        var circles: [[String]] = []
        for first in texts.indices {
            for second in texts.indices where results[first][second] <= 0 {
                for third in texts.indices where results[second][third] <= 0 {
                    let least = min(results[first][second], results[second][third])
                    if results[first][third] != least {
                        circles.append([texts[first], texts[second], texts[third]])
                    }
                }
            }
        }
        #expect(circles.isEmpty, "\(circles.prefix(3))")
    }

    @Test("Bytes and strings are in the same order", arguments: StringOrder.allCases)
    func bytesAndTextsAgree(_ order: StringOrder) {
        let texts = Self.texts(300)
        for (left, right) in zip(texts, texts.dropFirst()) {
            let bytes = Array(left.utf8).withUnsafeBufferPointer { left in
                Array(right.utf8).withUnsafeBufferPointer { order.order(utf8: left, $0) }
            }
            #expect(bytes == order.order(left, right))
        }
    }

    /// A database may hold any bytes as text.
    @Test("Bytes that are not UTF-8 are ordered consistently", arguments: StringOrder.allCases)
    func bytesThatAreNotUTF8(_ order: StringOrder) {
        let samples: [[UInt8]] = [
            [], [0xFF], [0xC3], [0xED, 0xA0, 0x80], [0x61, 0xFE], Array("a\u{FFFD}".utf8), [0],
        ]
        for left in samples {
            for right in samples {
                let (there, back) = left.withUnsafeBufferPointer { left in
                    right.withUnsafeBufferPointer {
                        (order.order(utf8: left, $0), order.order(utf8: $0, left))
                    }
                }
                #expect(there.rawValue == -back.rawValue)
            }
        }
    }

    @Test(
        "Each order puts the first string before the second",
        arguments: [
            (StringOrder.compare, "Z", "a"), (.compare, "é", "😀"), (.caseInsensitive, "a", "B"),
            (.localized, "é", "f"), (.localized, "a", "A"), (.localizedCaseInsensitive, "A", "b"),
            (.localizedStandard, "Part 2", "part 10"), (.localizedStandard, "a", "B"),
        ])
    func order(_ order: StringOrder, _ first: String, _ second: String) {
        #expect(order.order(first, second) == .orderedAscending)
        #expect(order.order(second, first) == .orderedDescending)
    }

    @Test("Each order finds its equivalent strings equal")
    func equivalentStrings() {
        #expect(StringOrder.caseInsensitive.order("Straße", "STRASSE") == .orderedSame)
        #expect(StringOrder.localizedCaseInsensitive.order("ete", "Ete") == .orderedSame)
        #expect(StringOrder.localizedStandard.order("soft\u{AD}ware", "software") == .orderedSame)
        #expect(StringOrder.localized.order("e\u{301}", "é") == .orderedSame)
        #expect(StringOrder.compare.order("e\u{301}", "é") != .orderedSame)
    }
}
