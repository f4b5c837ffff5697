/// The pattern of the operator `LIKE`: `?` stands for one code point, `*` for any number of them, and a
/// backslash makes the next code point stand for itself.
///
/// What stands between the wildcards is folded; the pattern is then tested against folded text, in time
/// proportional to the product of the lengths at worst.
final class LikePattern: Sendable {
    private enum Element: Equatable, Sendable {
        case scalar(Unicode.Scalar)
        case anyOne
        case anyNumber
    }

    private let elements: [Element]

    init(_ pattern: String, folding: TextFolding) {
        var elements: [Element] = []
        var literal = ""
        var isEscaped = false

        func endLiteral() {
            elements += folding.folded(literal).unicodeScalars.map(Element.scalar)
            literal = ""
        }

        for scalar in pattern.unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                literal.unicodeScalars.append(scalar)
                isEscaped = false
            case "\\":
                isEscaped = true
            case "?":
                endLiteral()
                elements.append(.anyOne)
            case "*":
                endLiteral()
                if elements.last != .anyNumber { elements.append(.anyNumber) }
            default:
                literal.unicodeScalars.append(scalar)
            }
        }
        if isEscaped { literal += "\\" }
        endLiteral()
        self.elements = elements
    }

    /// Whether all of a folded text is like the pattern.
    func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        var index = 0
        // Where to go on when what follows the last `*` does not fit: one code point later.
        var retry: (index: Int, position: Int)?

        while position < text.count {
            let (scalar, next) = text.scalar(at: position)
            if index < elements.count {
                switch elements[index] {
                case .anyNumber:
                    index += 1
                    retry = (index, position)
                    continue
                case .scalar(let wanted) where wanted != scalar:
                    break
                case .scalar, .anyOne:
                    index += 1
                    position = next
                    continue
                }
            }
            guard let last = retry else { return false }
            let later = text.scalar(at: last.position).next
            retry = (last.index, later)
            index = last.index
            position = later
        }
        return elements[index...].allSatisfy { $0 == .anyNumber }
    }
}
