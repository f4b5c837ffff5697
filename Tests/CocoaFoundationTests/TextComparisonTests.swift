import CocoaFoundation
import TestSupport
import Testing

/// Text under the options of predicates.
@Suite struct TextComparisonTests {
    @Test(
        "A string without case and marks has its canonical form",
        arguments: [
            ("", ""), ("abc XYZ 123", "abc xyz 123"), ("Ünïçödé", "unicode"), ("STRASSE", "strasse"),
            ("Straße", "strasse"),
            ("ẞ", "ss"), ("ΣΊΣΥΦΟΣ", "σισυφοσ"), ("σίσυφος", "σισυφοσ"), ("İstanbul", "istanbul"),
            ("ISTANBUL", "istanbul"),
            ("ışık", "ısık"), ("Ǆ", "ǆ"), ("ﬁ", "fi"), ("Ǻ", "a"), ("ø", "ø"), ("Ł", "ł"), ("Ё", "е"),
            ("й", "и"),
            ("Việt Nam", "viet nam"), ("e\u{301}\u{323}", "e"), ("Å", "a"), ("Å", "a"), ("K", "k"),
            // Marks that are parts of letters stay.
            ("が", "が"), ("カ\u{3099}", "ガ"), ("हिन्दी", "हिन्दी"), ("ด้วย", "ด้วย"), ("한글", "한글"),
            ("\u{1112}\u{1161}\u{11AB}", "한"), ("漢字", "漢字"), ("😀👍🏽", "😀👍🏽"),
            // Points of Hebrew and Arabic go.
            ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"), ("أحمد", "احمد"), ("Ꭰ", "ꭰ"), ("𐐀", "𐐨"),
        ])
    func canonical(_ text: String, _ folded: String) {
        let result = TextFunctions.canonical(text)
        #expect(Array(result.unicodeScalars) == Array(folded.unicodeScalars), "\(text) → \(result)")
        #expect(Array(TextFunctions.canonical(result).unicodeScalars) == Array(result.unicodeScalars))
        #expect(TextComparison(options: [.caseInsensitive, .diacriticInsensitive]).areEqual(text, folded))
    }

    @Test("Case and marks are folded independently")
    func foldingsByThemselves() {
        let cases = TextFolding(ignoresCase: true, ignoresMarks: false)
        let marks = TextFolding(ignoresCase: false, ignoresMarks: true)
        #expect(cases.folded("ÉCOLE Straße") == "école strasse")
        #expect(marks.folded("École Ünï") == "Ecole Uni")
        #expect(Array(cases.folded("E\u{301}").unicodeScalars) == ["\u{E9}"])
        #expect(TextFolding(ignoresCase: false, ignoresMarks: false).folded("É") == "É")
    }

    @Test("Every Unicode scalar folds to a stable form, the same from either case")
    func everyScalarFoldsToAStableForm() {
        let folding = TextFolding(ignoresCase: true, ignoresMarks: true)
        var unstable: [String] = []
        for value in UInt32(0)...0x1F_FFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let once = folding.folded(String(scalar))
            if !folding.folded(once).unicodeScalars.elementsEqual(once.unicodeScalars) {
                unstable.append(String(value, radix: 16))
            }
            // An iota below a letter is a mark, but a letter in upper case.
            if String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.contains("\u{345}") {
                continue
            }
            let (upper, lower) = (scalar.properties.uppercaseMapping, scalar.properties.lowercaseMapping)
            if scalar != "\u{131}", scalar != "\u{130}", folding.folded(upper) != folding.folded(lower) {
                unstable.append(String(value, radix: 16))
            }
        }
        #expect(unstable.isEmpty, "\(unstable)")
    }

    @Test("Without options strings are compared by code points")
    func equalityIsByCodePoints() {
        let plain = TextComparison(options: [])
        #expect(!plain.areEqual("é", "e\u{301}"))
        #expect(TextComparison(options: .caseInsensitive).areEqual("é", "e\u{301}"))
        #expect(plain.order("Z", "a") == .orderedAscending)
        #expect(plain.order("a", "é") == .orderedAscending)
        #expect(plain.order("\u{FFFF}", "\u{10000}") == .orderedAscending)
        #expect(plain.order("ab", "a") == .orderedDescending)
        #expect(plain.order("", "") == .orderedSame)
        #expect(TextComparison(options: .caseInsensitive).order("Z", "a") == .orderedDescending)
    }

    @Test("Without options the order is that of UTF-8 bytes")
    func orderIsThatOfBytes() {
        var generator = Fuzzing.numbers(seed: 3)
        let plain = TextComparison(options: [])
        for _ in 0..<Fuzzing.rounds(2_000) {
            let (left, right) = (randomText(&generator), randomText(&generator))
            let isBefore = Array(left.utf8).lexicographicallyPrecedes(Array(right.utf8))
            #expect((plain.order(left, right) == .orderedAscending) == isBefore)
        }
    }

    @Test("String operators with options agree with those on folded strings")
    func foldedOperationsAgreeWithOperationsOnFoldedText() {
        var generator = Fuzzing.numbers(seed: 4)
        let plain = TextComparison(options: [])
        for options in [
            NSComparisonPredicate.Options.caseInsensitive, .diacriticInsensitive,
            [.caseInsensitive, .diacriticInsensitive],
        ] {
            let comparison = TextComparison(options: options)
            for _ in 0..<1_000 {
                let (text, part) = (randomText(&generator), randomText(&generator, count: 2))
                let (foldedText, foldedPart) = (
                    comparison.folding.folded(text), comparison.folding.folded(part)
                )
                #expect(comparison.contains(text, part) == plain.contains(foldedText, foldedPart))
                #expect(comparison.beginsWith(text, part) == plain.beginsWith(foldedText, foldedPart))
                #expect(comparison.endsWith(text, part) == plain.endsWith(foldedText, foldedPart))
                #expect(comparison.order(text, part) == plain.order(foldedText, foldedPart))
            }
        }
    }

    @Test("CONTAINS and LIKE agree with a plain search")
    func searchAgreesWithThePlainOne() {
        var generator = Fuzzing.numbers(seed: 5)
        let plain = TextComparison(options: [])
        for _ in 0..<Fuzzing.rounds(5_000) {
            let text = String(
                (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                    "ab".randomElement(using: &generator) ?? "a"
                })
            let part = String(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                    "ab".randomElement(using: &generator) ?? "a"
                })
            let isThere = part.isEmpty || text.contains(part)
            #expect(plain.contains(text, part) == isThere, "\(text) \(part)")
            #expect(plain.like(text, "*\(part)*") == isThere)
            #expect(plain.like(text, "\(part)*") == text.hasPrefix(part) || part.isEmpty)
        }
    }

    @Test(
        "LIKE with wildcards agrees with an exhaustive table",
        arguments: [(1...3, 0...20), (60...70, 60...140), (120...200, 150...400)])
    func wildcardsAgreeWithATableOfAllPlaces(_ partLength: ClosedRange<Int>, _ textLength: ClosedRange<Int>) {
        var generator = Fuzzing.numbers(seed: 0x11CE)
        let plain = TextComparison(options: [])
        var found = 0
        for _ in 0..<Fuzzing.rounds(400) {
            let alphabet = Array("aabéc".unicodeScalars.prefix(Int.random(in: 1...5, using: &generator)))
            func random(_ length: Int) -> [Unicode.Scalar] {
                (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "a" }
            }
            let text = random(Int.random(in: textLength, using: &generator))
            var pattern: [Unicode.Scalar] = ["*"]
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                let length = Int.random(in: partLength, using: &generator)
                var part = random(length)
                // Often a part of the text, so that it can be found.
                if Bool.random(using: &generator), length <= text.count {
                    let start = Int.random(in: 0...(text.count - length), using: &generator)
                    part = Array(text[start..<(start + length)])
                }
                for _ in 0...(length / 8) { part[Int.random(in: 0..<length, using: &generator)] = "?" }
                pattern += part + ["*"]
            }
            let isLike = Self.matches(text, pattern)
            if isLike { found += 1 }
            let (textString, patternString) = (Self.string(text), Self.string(pattern))
            #expect(plain.like(textString, patternString) == isLike, "\(textString) \(patternString)")
        }
        #expect(found > 20)
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// The textbook's table: whether each beginning of the text is like each beginning of the pattern.
    private static func matches(_ text: [Unicode.Scalar], _ pattern: [Unicode.Scalar]) -> Bool {
        var row = [true] + Array(repeating: false, count: text.count)
        for symbol in pattern {
            var next = [symbol == "*" && row[0]] + Array(repeating: false, count: text.count)
            for (index, scalar) in text.enumerated() {
                next[index + 1] =
                    symbol == "*"
                    ? row[index + 1] || next[index] : row[index] && (symbol == "?" || symbol == scalar)
            }
            row = next
        }
        return row[text.count]
    }

    @Test("A hostile search takes linear time")
    func hostileSearchIsLinear() {
        let text = String(repeating: "a", count: 1_000_000)
        let part = String(repeating: "a", count: 400_000) + "b"
        let start = ContinuousClock.now
        #expect(!TextComparison(options: .caseInsensitive).contains(text, part))
        #expect(!TextComparison(options: []).like(text, "*\(part)*"))
        #expect(!TextComparison(options: .wholeWords).contains(text, String(part.dropLast())))
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test("A pattern matches UTF-8 bytes, even malformed ones")
    func bytesOfSQLAreComparedWithoutAString() throws {
        let pattern = TextPattern(
            containing: "ÜNÏ", comparison: TextComparison(options: [.caseInsensitive, .diacriticInsensitive]))
        for (text, expected) in [("the unicode", true), ("Ünïçödé", true), ("unx", false)] {
            let bytes = Array(text.utf8)
            #expect(try bytes.withUnsafeBufferPointer { try pattern.matches(utf8: $0) } == expected)
        }
        let broken: [UInt8] = [0xFF, 0xC3, 0x75, 0x6E, 0x69]
        #expect(try broken.withUnsafeBufferPointer { try pattern.matches(utf8: $0) })
        let like = TextPattern(like: "??uni", comparison: TextComparison(options: []))
        #expect(try broken.withUnsafeBufferPointer { try like.matches(utf8: $0) })
    }

    @Test("The option w matches whole words only")
    func wholeWords() throws {
        #expect(try holds("'the cat sat' CONTAINS[w] 'cat'", nil))
        #expect(try !holds("'concatenate' CONTAINS[w] 'cat'", nil))
        #expect(try holds("'concatenate cat' CONTAINS[cw] 'CAT'", nil))
        #expect(try holds("'cat sat' BEGINSWITH[w] 'cat'", nil))
        #expect(try !holds("'cats sat' BEGINSWITH[w] 'cat'", nil))
        #expect(try holds("'a cat' ENDSWITH[w] 'cat'", nil))
        #expect(try !holds("'bobcat' ENDSWITH[w] 'cat'", nil))
        #expect(try holds("'größe' CONTAINS[w] 'größe'", nil))
        #expect(try !holds("'größe' CONTAINS[w] 'gr'", nil))
    }

    @Test("The option l combines with those for case and marks")
    func localOptions() throws {
        #expect(try holds("'Äpfel' ==[lcd] 'apfel'", nil))
        #expect(try holds("'Äpfel' BEGINSWITH[lcd] 'ap'", nil))
        #expect(try holds("'Äpfel' ENDSWITH[lc] 'FEL'", nil))
        #expect(try holds("'Äpfel' CONTAINS[lc] 'PF'", nil))
        #expect(try holds("'Äpfel' CONTAINS[l] ''", nil))
        #expect(try !holds("'Äpfel' ==[l] 'apfel'", nil))
        #expect(try holds("'a' <[l] 'B'", nil))
        #expect(try holds("'A' IN[lc] {'a'}", nil))
        #expect(try holds("'A' IN[lc] 'bab'", nil))
    }

    @Test("The functions uppercase and lowercase convert all letters")
    func casesOfTheFunctions() {
        #expect(TextFunctions.uppercase("straße é") == "STRASSE É")
        #expect(TextFunctions.lowercase("ÉCOLE") == "école")
    }

    private func randomText(_ generator: inout SeededNumbers, count: Int = 8) -> String {
        let letters = [
            "a", "A", "b", "é", "E\u{301}", "ß", "s", "S", "ı", "I", "が", "か", "\u{3099}", "Σ", "ς", "😀", "ﬁ",
            "\u{323}", "1", "漢",
        ]
        return (0..<Int.random(in: 0...count, using: &generator)).map { _ in
            letters.randomElement(using: &generator) ?? ""
        }.joined()
    }
}
