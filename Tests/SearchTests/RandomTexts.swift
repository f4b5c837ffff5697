/// Texts of many scripts, from few words, so that searches find some.
struct RandomTexts {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func number(below limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(limit))
    }

    static let words = [
        "Schloß", "schloss", "SCHLOSS", "Über", "U\u{308}ber", "uber", "übermorgen", "war", "peace", "War",
        "wardrobe", "and", "AND", "or", "don't", "well-known", "1984", "19", "x²", "Достоевский",
        "достоевский",
        "ΣΊΣΥΦΟΣ", "σίσυφος", "東京", "京都", "東京都庁", "ひらがな", "か\u{3099}き", "서울", "서울특별시", "ภาษาไทย",
        "שָׁלוֹם", "שלום", "مُحَمَّد", "محمد", "हिन्दी", "é", "e", "İstanbul", "Donau\u{AD}dampf", "donaudampf",
        "a", "b", "c", "\u{1F600}", "C++", "naïve", "fi\u{FB01}", "\u{0}", "ﬂ", "𝒳y", "\u{301}",
    ]

    static let separators = [" ", " ", " ", "  ", ", ", "-", "\n", ".", "", "\u{A0}", "…"]

    mutating func text(ofWords most: Int) -> String {
        var text = ""
        for _ in 0..<number(below: most + 1) {
            text += Self.words[number(below: Self.words.count)]
            text += Self.separators[number(below: Self.separators.count)]
        }
        return text
    }

    /// What a person may write, and signs that other languages of queries have.
    mutating func query() -> String {
        let signs = [
            "", "", "", "", "-", "\"", "*", "NOT ", "OR ", "AND ", "(", "\u{201E}", "^", ":", "'", "\\",
        ]
        var text = ""
        for _ in 0..<(1 + number(below: 4)) {
            text += signs[number(below: signs.count)]
            let word = Self.words[number(below: Self.words.count)]
            text += number(below: 4) == 0 ? String(word.prefix(1 + number(below: 3))) : word
            text += ["", "", "*", "\""][number(below: 4)]
            text += [" ", " ", " OR ", " AND ", "-"][number(below: 5)]
        }
        return text
    }
}
