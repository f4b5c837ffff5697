import Synchronization

/// A form of text in which differences of case, of diacritical marks, or of both are gone.
///
/// The form is made scalar by scalar, by Unicode's rules and no locale's:
///
/// 1. the scalar's canonical decomposition;
/// 2. without marks, if marks are to go: every scalar of the combining classes 1 (overlays), 10 to 36
///    (Hebrew, Arabic and Syriac points) and 200 or more (attached, above, below, double) is dropped. Marks
///    of the other classes are letters or parts of letters in their scripts and stay: nuktas, the voicing
///    marks of kana, viramas, the vowel and tone signs of Thai, Lao and Tibetan, Indic vowel signs;
/// 3. without case, if case is to go: the lower case of the upper case of the lower case. That is Unicode's
///    full case folding (`ß` and `ẞ` become `ss`, `ς` becomes `σ`), but for Cherokee, which folds to lower
///    instead of upper case. The dotless `ı` stays, as in Unicode's folding;
/// 4. the canonical composition of all.
///
/// Text of ASCII letters takes none of these steps.
package struct TextFolding: Hashable, Sendable {
    /// Whether upper and lower case are the same.
    package let ignoresCase: Bool
    /// Whether letters with and without marks are the same.
    package let ignoresMarks: Bool

    package init(ignoresCase: Bool, ignoresMarks: Bool) {
        self.ignoresCase = ignoresCase
        self.ignoresMarks = ignoresMarks
    }

    /// Whether every string is its own folded form.
    package var isIdentity: Bool { !ignoresCase && !ignoresMarks }

    /// The folded form of a string.
    package func folded(_ text: String) -> String {
        if isIdentity { return text }
        return withFolded(text) { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the UTF-8 bytes of the folded form of a string.
    package func withFolded<Result>(
        _ text: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        var text = text
        return try text.withUTF8 { try withFolded(utf8: $0, body) }
    }

    /// Calls `body` with the folded form of UTF-8 bytes; what is not well-formed UTF-8 counts as U+FFFD.
    package func withFolded<Result>(
        utf8: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        if isIdentity { return try body(utf8) }
        guard utf8.isASCII else { return try withFoldedScalars(utf8, body) }
        guard ignoresCase else { return try body(utf8) }
        return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: utf8.count) { buffer in
            for index in 0..<utf8.count {
                let byte = utf8[index]
                buffer[index] = byte &- 65 < 26 ? byte | 0x20 : byte
            }
            return try body(UnsafeBufferPointer(rebasing: buffer[..<utf8.count]))
        }
    }

    /// The most marks upon a letter that a string of a person has; Unicode's Stream-Safe Text Format has as many.
    private static let shortRun = 30

    private func withFoldedScalars<Result>(
        _ utf8: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        var folded = ContiguousArray<UInt8>()
        folded.reserveCapacity(utf8.count)
        var mayCompose = false
        // How many scalars that may compose follow each other, and the most that did.
        var (run, longestRun) = (0, 0)
        var page: FoldedScalars?
        var number: UInt32 = .max

        var bytes = utf8.makeIterator()
        var decoder = UTF8()
        decoding: while true {
            let scalar: Unicode.Scalar
            switch decoder.decode(&bytes) {
            case .scalarValue(let value): scalar = value
            case .error: scalar = "\u{FFFD}"
            case .emptyInput: break decoding
            }
            let value = scalar.value
            if value < 0x80 {
                let byte = UInt8(truncatingIfNeeded: value)
                folded.append(ignoresCase && byte &- 65 < 26 ? byte | 0x20 : byte)
                run = 0
                continue
            }
            if value >> 8 != number {
                number = value >> 8
                page = FoldedScalars.page(number, of: self)
            }
            if page?.append(value, to: &folded) == true {
                mayCompose = true
                run += 1
                longestRun = max(longestRun, run)
            } else {
                run = 0
            }
        }
        if mayCompose {
            var text = String(decoding: folded, as: UTF8.self)
            // Foundation puts marks in order by exchanging neighbours, again and again.
            if longestRun > Self.shortRun { text = text.withOrderedMarks }
            var composed = text.precomposedStringWithCanonicalMapping
            return try composed.withUTF8(body)
        }
        return try folded.withUnsafeBufferPointer(body)
    }
}

/// The folded forms of 256 neighbouring scalars.
///
/// Foundation returns a scalar's decomposition, but too slowly to call it for each scalar of each string; so the
/// results are kept, a page at a time, for the pages that strings need.
private final class FoldedScalars: Sendable {
    private struct Key: Hashable {
        let number: UInt32
        let folding: TextFolding
    }

    private static let pages = Mutex<[Key: FoldedScalars]>([:])

    /// For each scalar where its folded form begins in `bytes`, and at the end where the last one ends.
    private let starts: [UInt16]
    private let bytes: [UInt8]
    /// Whether the folded form has a scalar that may compose with what precedes it.
    private let composes: [Bool]

    static func page(_ number: UInt32, of folding: TextFolding) -> FoldedScalars {
        let key = Key(number: number, folding: folding)
        return pages.withLock { pages in
            if let page = pages[key] { return page }
            let page = FoldedScalars(number, folding)
            pages[key] = page
            return page
        }
    }

    private init(_ number: UInt32, _ folding: TextFolding) {
        var starts: [UInt16] = []
        var bytes: [UInt8] = []
        var composes: [Bool] = []
        for value in (number << 8)..<((number + 1) << 8) {
            starts.append(UInt16(bytes.count))
            let form = Unicode.Scalar(value).map { folding.folded($0) } ?? ""
            bytes += Array(form.utf8)
            composes.append(form.unicodeScalars.contains(where: \.mayComposeWithPrevious))
        }
        starts.append(UInt16(bytes.count))
        self.starts = starts
        self.bytes = bytes
        self.composes = composes
    }

    /// Adds a scalar's folded form; says whether it has a scalar that may compose with an earlier one.
    func append(_ value: UInt32, to folded: inout ContiguousArray<UInt8>) -> Bool {
        let index = Int(value & 0xFF)
        for position in Int(starts[index])..<Int(starts[index + 1]) {
            folded.append(bytes[position])
        }
        return composes[index]
    }
}

extension TextFolding {
    /// The folded form of one scalar.
    fileprivate func folded(_ scalar: Unicode.Scalar) -> String {
        var form = ""
        for part in String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars {
            if ignoresMarks && part.isDiacriticalMark { continue }
            if ignoresCase && part != "\u{131}" {
                let lower = part.properties.lowercaseMapping
                let upper = String(String.UnicodeScalarView(lower.unicodeScalars.flatMap(\.upperCase)))
                form.unicodeScalars += upper.unicodeScalars.flatMap(\.lowerCase)
            } else {
                form.unicodeScalars.append(part)
            }
        }
        return form.precomposedStringWithCanonicalMapping
    }
}

extension String {
    /// The string with the marks after each letter in canonical order, as composition needs them.
    fileprivate var withOrderedMarks: String {
        var ordered = String.UnicodeScalarView()
        var marks: [(order: UInt8, offset: Int, scalar: Unicode.Scalar)] = []
        func endMarks() {
            // Marks of one class stay in their order.
            marks.sort { ($0.order, $0.offset) < ($1.order, $1.offset) }
            for mark in marks { ordered.append(mark.scalar) }
            marks.removeAll(keepingCapacity: true)
        }
        for scalar in unicodeScalars {
            let order = scalar.properties.canonicalCombiningClass.rawValue
            if order == 0 {
                endMarks()
                ordered.append(scalar)
            } else {
                marks.append((order, marks.count, scalar))
            }
        }
        endMarks()
        return String(ordered)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether all bytes are of ASCII; eight are looked at together.
    fileprivate var isASCII: Bool {
        let bytes = UnsafeRawBufferPointer(self)
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { return false }
            index += 8
        }
        while index < bytes.count {
            if bytes[index] >= 0x80 { return false }
            index += 1
        }
        return true
    }
}

extension Unicode.Scalar {
    fileprivate var lowerCase: String.UnicodeScalarView { properties.lowercaseMapping.unicodeScalars }
    fileprivate var upperCase: String.UnicodeScalarView { properties.uppercaseMapping.unicodeScalars }

    /// Whether the scalar is a mark upon a letter, and not a part of it; see ``TextFolding``.
    fileprivate var isDiacriticalMark: Bool {
        switch properties.canonicalCombiningClass.rawValue {
        case 1, 10...36, 200...: true
        default: false
        }
    }

    /// Whether canonical composition may join the scalar with one before it: marks, and the vowels and final
    /// consonants of Hangul.
    fileprivate var mayComposeWithPrevious: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: 0x1160...0x11FF ~= value
        }
    }
}
