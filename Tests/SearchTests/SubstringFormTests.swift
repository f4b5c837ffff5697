import CoreData
import FullTextSearch
import Testing

/// What an index has of a string: everything that a text operator may look for in it.
struct SubstringFormTests {
    /// Whether the index finds a string that has a part in it.
    private func isFound(_ text: String, _ parts: [String]) -> Bool {
        let indexed = Array(SubstringForm.indexed(text).unicodeScalars)
        func has(_ trigram: String) -> Bool {
            let scalars = Array(trigram.unicodeScalars)
            return indexed.indices.dropLast(2).contains { indexed[$0..<$0 + 3].elementsEqual(scalars) }
        }
        return has(SubstringForm.undecided) || SubstringForm.trigrams(of: parts).allSatisfy(has)
    }

    private static let options: [TextOptions] = [
        [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .wholeWords,
        [.caseInsensitive, .wholeWords], .normalized,
    ]

    private func check(_ text: String, _ part: String) -> Int {
        var count = 0
        for options in Self.options {
            let comparison = TextComparison(options: options)
            let wildcards = "*" + part.replacingOccurrences(of: "\\", with: "\\\\") + "*"
            for pattern in [
                TextPattern(containing: part, comparison: comparison),
                TextPattern(beginningWith: part, comparison: comparison),
                TextPattern(endingWith: part, comparison: comparison),
                TextPattern(like: wildcards, comparison: comparison),
            ] where (try? pattern.matches(text)) ?? false {
                count += 1
                #expect(
                    isFound(text, pattern.requiredParts),
                    "\(text.debugDescription) \(part.debugDescription) \(options)")
            }
        }
        return count
    }

    @Test("A string that meets a pattern has the trigrams of the pattern", arguments: 0..<8)
    func random(_ seed: Int) {
        var random = RandomTexts(seed: UInt64(seed + 1))
        let pieces =
            RandomTexts.words
            + [
                "α\u{345}", "ᾳ", "αι", "ΑΙ", "ß", "ẞ", "SS", "ŉ", "ʼn", "ǰ", "\u{1F82}", "ﬃ", "İ", "i\u{307}",
                "ı", "K",
                "\u{1100}\u{1161}\u{11A8}", "각", "\u{1100}", "\u{11A8}", "q\u{323}\u{307}", "q\u{307}\u{323}",
                "\u{9C7}\u{9BE}", "\u{9CB}", "か\u{3099}", "が", "\u{FFFD}", "\u{378}", "\u{FFFF}", "\u{AD}",
                "ﾊﾟ",
                "Ꭰ", "ꭰ", "\u{10400}", "\u{10428}", "Ǆ", "ǅ", "ǆ", "\u{1E9B}\u{323}", "\u{212B}", "Å",
            ]
        var found = 0
        for _ in 0..<500 {
            let text = (0..<(1 + random.number(below: 6))).map { _ in
                pieces[random.number(below: pieces.count)]
            }.joined()
            let scalars = Array(text.unicodeScalars)
            let start = random.number(below: scalars.count + 1)
            let end = start + random.number(below: scalars.count - start + 1)
            var part = String(String.UnicodeScalarView(scalars[start..<end]))
            switch random.number(below: 6) {
            case 0: part = part.uppercased()
            case 1: part = part.lowercased()
            case 2: part = part.decomposedStringWithCanonicalMapping
            case 3: part = part.precomposedStringWithCanonicalMapping
            case 4: part = part.folding(options: [.diacriticInsensitive], locale: nil)
            default: break
            }
            found += check(text, part)
        }
        #expect(found > 1_000)
    }

    @Test(
        "That is so for every character of scripts with case, marks or composition",
        .timeLimit(.minutes(40)),
        arguments: [
            0..<0x1000, 0x1000..<0x2000, 0x2000..<0x3400, 0xA640..<0xABC0, 0xABE0..<0xAC80, 0xF900..<0x10000,
            0x10400..<0x10600, 0x118A0..<0x118E0, 0x1D100..<0x1D1C0, 0x1E900..<0x1E960, 0x1F100..<0x1F200,
        ] as [Range<UInt32>])
    func everyScalar(_ values: Range<UInt32>) {
        for value in values {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "x\(scalar)\(scalar)y\(scalar)z"
            for part in [text.uppercased(), text.lowercased(), text.decomposedStringWithCanonicalMapping] {
                for options in Self.options.prefix(4) {
                    let pattern = TextPattern(
                        containing: part, comparison: TextComparison(options: options))
                    guard (try? pattern.matches(text)) ?? false else { continue }
                    #expect(isFound(text, pattern.requiredParts), "U+\(String(value, radix: 16)) \(options)")
                }
            }
        }
    }

    @Test("Most strings have one form, whatever their case, marks and composition")
    func forms() {
        #expect(SubstringForm.indexed("Über STRASSE Å") == "uber strasse a")
        #expect(SubstringForm.indexed("u\u{308}ber straße A\u{30A}") == "uber strasse a")
        #expect(SubstringForm.indexed("ДОСТОЕВСКИЙ") == "достоевскии")
        #expect(SubstringForm.indexed("\u{AC01}") == "\u{1100}\u{1161}\u{11A8}")
        #expect(SubstringForm.indexed("\u{1100}\u{1161}\u{11A8}") == "\u{1100}\u{1161}\u{11A8}")
        // With and without an iota: both are indexed.
        #expect(SubstringForm.indexed("xᾳy") == "xαy\u{FFFD}xαιy")
    }

    @Test("A string that is too long, or has characters of another version of Unicode, is always found")
    func undecided() {
        #expect(
            SubstringForm.indexed(String(repeating: "a", count: SubstringForm.longest + 1))
                == SubstringForm.undecided)
        #expect(SubstringForm.indexed("abc\u{378}") == SubstringForm.undecided)
        #expect(SubstringForm.trigrams(of: ["ab\u{378}cd"]).isEmpty)
        #expect(SubstringForm.trigrams(of: ["ab\u{FFFD}cde\u{0}"]) == ["cde"])
    }

    @Test("Few trigrams of a long pattern are looked for: the first, the last, and some between")
    func trigrams() {
        #expect(SubstringForm.trigrams(of: ["ab"]).isEmpty)
        #expect(SubstringForm.trigrams(of: ["ABC"]) == ["abc"])
        #expect(SubstringForm.trigrams(of: ["abcd"]) == ["abc", "bcd"])
        #expect(SubstringForm.trigrams(of: ["abcdefgh"]) == ["abc", "def", "fgh"])
        #expect(SubstringForm.trigrams(of: ["abc", "x", "xyz", "abc"]) == ["abc", "xyz"])
        let long = (0..<10_000).map { "\($0) " }.joined()
        #expect(SubstringForm.trigrams(of: [long]).count == 12)
        #expect(SubstringForm.trigrams(of: Array(repeating: long, count: 1_000)).count == 12)
    }
}
