/// What a scalar is to the words of a text.
enum ScalarClass: UInt8 {
    /// Stands between words.
    case separator
    /// A letter or digit of a word.
    case letter
    /// Belongs to the letter or character before it, such as an accent.
    case mark
    /// Has no meaning of its own, such as a soft hyphen or a joiner: a word goes on as if it were not there.
    case ignorable
    /// A character of a script that is written without spaces: a word of its own.
    case character
    /// A vowel or final consonant of Hangul, which belongs to the consonant before it.
    case jamo

    /// The class of a scalar. O(1).
    static func of(_ value: UInt32) -> ScalarClass {
        value < UInt32(table.count) ? table[Int(value)] : computed(value)
    }

    /// The classes of the scalars below U+3400: properties of a scalar take longer to look up.
    private static let table: [ScalarClass] = (0..<0x3400).map { computed($0) }

    private static func computed(_ value: UInt32) -> ScalarClass {
        guard let scalar = Unicode.Scalar(value) else { return .separator }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark:
            return properties.isDefaultIgnorableCodePoint ? .ignorable : .mark
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber:
            if isJamo(value) { return .jamo }
            return isWrittenWithoutSpaces(value) ? .character : .letter
        default:
            return properties.isDefaultIgnorableCodePoint ? .ignorable : .separator
        }
    }

    private static func isJamo(_ value: UInt32) -> Bool {
        0x1160...0x11FF ~= value || 0xD7B0...0xD7FF ~= value
    }

    /// Whether a letter is of a script without spaces between words: Han, kana, bopomofo, Hangul (whose words carry endings),
    /// Thai, Lao, Tibetan, Burmese and Khmer.
    private static func isWrittenWithoutSpaces(_ value: UInt32) -> Bool {
        switch value {
        case 0x0E00...0x0FFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x2E80...0x2FDF,
            0x3005...0x3007, 0x3021...0x318F, 0x31A0...0x31BF, 0x31F0...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xA960...0xA97F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F, 0xAC00...0xD7AF,
            0xF900...0xFAFF, 0xFF66...0xFFDC, 0x1AFF0...0x1B16F, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
