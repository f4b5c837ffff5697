import CoreData

/// What is searched in titles, and which titles should be found.
struct SearchQuestion: Sendable {
    enum Kind: Sendable {
        /// A word, or the beginning of one.
        case word, beginning
        /// A part of the title: as it is written, or in any case and with any marks.
        case part, partInAnyCase, pattern

        static let ofWords = [Kind.word, .beginning]
        static let ofParts = [Kind.part, .partInAnyCase, .pattern]
    }

    /// The words of titles: as they are written, and without case and marks. Some are parts of others.
    private static let words: [(written: String, key: String)] = [
        ("war", "war"), ("warden", "warden"), ("Reward", "reward"), ("\u{DC}ber", "uber"), ("uber", "uber"),
        ("Schlo\u{DF}", "schloss"), ("Luftschloss", "luftschloss"), ("peace", "peace"),
        ("PEACEFUL", "peaceful"),
        ("\u{41C}\u{438}\u{440}", "\u{43C}\u{438}\u{440}"),
    ]
    private static let keys = Dictionary(uniqueKeysWithValues: words.map { ($0.written, $0.key) })

    let kind: Kind
    private let text: String

    private init(_ kind: Kind, _ word: (written: String, key: String)) {
        self.kind = kind
        text =
            switch kind {
            case .word, .partInAnyCase, .pattern: word.key
            case .beginning: String(word.key.prefix(3))
            // Three characters at least.
            case .part: word.written.count > 3 ? String(word.written.dropFirst()) : word.written
            }
    }

    /// Each kind with each word.
    static let all = (Kind.ofWords + Kind.ofParts).flatMap { kind in
        words.map { SearchQuestion(kind, $0) }
    }

    static func random(_ kinds: [Kind], using random: inout some RandomNumberGenerator) -> SearchQuestion {
        let (kind, word) = (
            kinds[Int.random(in: 0..<kinds.count, using: &random)],
            words[Int.random(in: 0..<words.count, using: &random)]
        )
        return SearchQuestion(kind, word)
    }

    /// A title of two words, and a number.
    static func title(using random: inout some RandomNumberGenerator) -> String {
        let chosen = (0..<2).map { _ in words[Int.random(in: 0..<words.count, using: &random)].written }
        return chosen.joined(separator: " ") + " n\(Int.random(in: 0..<1_000_000, using: &random))"
    }

    var predicate: NSPredicate {
        switch kind {
        case .word: NSPredicate(searching: text)
        case .beginning: NSPredicate(searching: text, completesLastWord: true)
        case .part: NSPredicate(format: "title CONTAINS %@", text)
        case .partInAnyCase: NSPredicate(format: "title CONTAINS[cd] %@", text.uppercased())
        case .pattern: NSPredicate(format: "title LIKE[cd] %@", "*\(text.uppercased())*")
        }
    }

    func isMet(by title: String) -> Bool {
        let keys = title.split(separator: " ").map { Self.keys[String($0)] ?? String($0) }
        return switch kind {
        case .word: keys.contains(text)
        case .beginning: keys.contains { $0.hasPrefix(text) }
        case .part: title.contains(text)
        case .partInAnyCase, .pattern: keys.joined(separator: " ").contains(text)
        }
    }
}
