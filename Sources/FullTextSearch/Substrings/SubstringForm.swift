import CocoaFoundation

/// The form of strings in which an index looks for parts of them, three scalars in a row at a time.
///
/// The form of a string is that of its scalars, one after the other, and a scalar's form depends on nothing beside it (`ScalarForms`).
/// So where a string *t* has a string *p* in it, scalar after scalar, the form of *t* has the form of *p* in it. Call this **(1)**.
///
/// An index has of each string *t* the forms of F(*t*) for every folding F of the text operators: none, `[c]`, `[d]` and `[cd]`. They are
/// the same for most strings. That is enough to find all strings that an operator without `[l]` finds, and some more:
///
/// - `CONTAINS`, `BEGINSWITH` and `ENDSWITH`, with or without `[w]`, find *t* only if the bytes of F(*p*) are in F(*t*); so does `LIKE`
///   for each part of its pattern between wildcards, which it folds alone. Both are well-formed UTF-8, whose bytes of a scalar are not
///   found inside of another one's: F(*t*) has the scalars of F(*p*) in a row. By (1) the form of F(*t*) has that of F(*p*) in it,
///   and so every three scalars in a row of it, which the index has.
/// - Nothing is assumed of the foldings themselves. They are not as regular as one may think: `[d]` drops U+0345, which is a mark,
///   `[c]` makes an iota of it, and neither finds what the other one does. How marks are ordered, what Hangul is composed of, and
///   `ß` and `ss` are the foldings' affairs, too.
/// - In a file there may be text that is not well-formed. The index has U+FFFD in its place, and how many of them is the decoder's
///   affair; what is well-formed is the same for every decoder, since no byte that begins a scalar is ever skipped. So no three scalars
///   with U+FFFD are looked for. They stand for U+0000 as well, at which other code ends a string.
/// - Unicode does not change the case and the decomposition of a scalar once it is assigned. A string with one that is not assigned
///   yet may be folded in another way by the program that reads the index: it is always found (``undecided``), and no three scalars
///   with such a one are looked for.
/// - Between two forms of one string stands U+FFFD, so that nothing is found across.
package enum SubstringForm {
    /// The version of the form: indexes of another one are built anew.
    package static let version = 1
    /// Longer strings, in bytes, are always found: each search looks at them.
    package static let longest = 1 << 16
    /// What an index has of a string that is always found.
    package static let undecided = "\u{FFFD}\u{FFFD}\u{FFFD}"
    /// How many trigrams of one comparison are looked for.
    static let mostTrigrams = 12
    /// How many scalars of a part of a pattern are looked at for them, and after how many trigrams no other part is.
    private static let longestPattern = 1_000
    private static let mostConsidered = 500

    private static let foldings = [(false, false), (true, false), (false, true), (true, true)].map {
        TextFolding(ignoresCase: $0, ignoresMarks: $1)
    }

    /// What an index has of a string: forms of it, `undecided`, or nothing for one in which no three scalars are.
    package static func indexed(_ text: String) -> String {
        guard text.utf8.count <= longest else { return undecided }
        var plain: [UInt8] = []
        guard append(text, to: &plain) else { return undecided }
        // Without case, ASCII is its own form, however it is folded.
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return String(decoding: plain, as: UTF8.self) }
        var forms = [plain]
        for folding in foldings where !folding.isIdentity {
            var form: [UInt8] = []
            guard append(folding.folded(text), to: &form) else { return undecided }
            if !forms.contains(form) { forms.append(form) }
        }
        return String(decoding: Array(forms.joined(separator: "\u{FFFD}".utf8)), as: UTF8.self)
    }

    /// Three scalars in a row, several times, of the forms of folded strings: all are in the index of a string that has these in it.
    ///
    /// Not all that there are: those beside each other say little more. Empty when no string has three scalars to look for.
    package static func trigrams(of parts: [String]) -> [String] {
        var found: [String] = []
        var known: Set<String> = []
        for part in parts where found.count < mostConsidered {
            var form: [UInt8] = []
            _ = append(String(part.unicodeScalars.prefix(longestPattern)), to: &form)
            found += trigrams(ofForm: String(decoding: form, as: UTF8.self)).filter {
                known.insert($0).inserted
            }
        }
        guard found.count > mostTrigrams else { return found }
        return (0..<mostTrigrams).map { found[$0 * (found.count - 1) / (mostTrigrams - 1)] }
    }

    private static func trigrams(ofForm form: String) -> [String] {
        let scalars = Array(form.unicodeScalars)
        let starts = scalars.indices.dropLast(2).filter { !scalars[$0..<$0 + 3].contains("\u{FFFD}") }
        var found: [String] = []
        var next = 0
        for start in starts where start >= next || start == starts.last {
            found.append(String(String.UnicodeScalarView(scalars[start..<start + 3])))
            next = start + 3
        }
        return found
    }

    /// Adds the form of a string.
    ///
    /// - Returns: whether all its scalars are assigned.
    private static func append(_ text: String, to form: inout [UInt8]) -> Bool {
        var areAssigned = true
        var page: ScalarForms?
        var number: UInt32 = .max
        form.reserveCapacity(form.count + text.utf8.count)
        for scalar in text.unicodeScalars {
            let value = scalar.value
            if value < 0x80, value > 0 {
                let byte = UInt8(truncatingIfNeeded: value)
                form.append(byte &- 65 < 26 ? byte | 0x20 : byte)
                continue
            }
            if value >> 8 != number {
                number = value >> 8
                page = ScalarForms.page(number)
            }
            if let page, !page.append(value, to: &form) { areAssigned = false }
        }
        return areAssigned
    }
}
