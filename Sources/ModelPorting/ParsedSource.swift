import SwiftParser
import SwiftSyntax

/// A source and its syntax tree, which is neither broken nor too deep to be walked.
final class ParsedSource {
    /// The largest source: a hundred times what people write.
    static let largestSize = 2 << 20
    /// The deepest tree. The parser itself limits what nests; chains such as `a.b.c` are left to this limit.
    static let greatestDepth = 2_000
    /// The most brackets of all kinds in one another.
    static let maxBrackets = 64
    /// How many errors of one source are reported.
    static let maxErrors = 50

    let name: String
    let tree: SourceFileSyntax
    /// The text that the tree's positions are counted in.
    let bytes: [UInt8]
    let locations: SourceLocationConverter

    init(_ source: PortSource) throws(Refusal) {
        name = source.name
        guard source.bytes.count <= Self.largestSize else {
            throw Refusal(source, "the file has more than \(Self.largestSize >> 20) MiB: divide it")
        }
        if let offset = Self.firstInvalidByte(source.bytes) {
            throw Refusal(source, "the file is not UTF-8: save it as UTF-8", at: offset)
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        bytes = source.bytes.starts(with: mark) ? Array(source.bytes.dropFirst(mark.count)) : source.bytes
        if let offset = BracketScan.firstTooDeep(bytes) {
            throw Refusal(
                source, "brackets nest too deeply here to be parsed: give inner parts names of their own",
                at: offset)
        }
        tree = bytes.withUnsafeBufferPointer { text in
            var parser = Parser(text, maximumNestingLevel: Self.maxBrackets)
            return SourceFileSyntax.parse(from: &parser)
        }
        locations = SourceLocationConverter(fileName: name, tree: tree)
        guard Self.isWalkable(Syntax(tree)) else {
            throw Refusal(
                source,
                "an expression or a type of the file nests too deeply to be read: give parts of it names of their own"
            )
        }
        guard tree.hasError else { return }
        let errors = SyntaxErrors(of: tree, most: Self.maxErrors).found
        guard !errors.isEmpty else { return }
        throw Refusal(diagnostics: errors.map { diagnostic(.error, $0.message, at: $0.location) })
    }

    /// Something to say about a position.
    func diagnostic(
        _ severity: PortDiagnostic.Severity, _ message: String, at position: AbsolutePosition
    ) -> PortDiagnostic {
        let location = locations.location(for: position)
        return PortDiagnostic(
            file: name, line: location.line, column: location.column, severity: severity, message: message)
    }

    private static func firstInvalidByte(_ bytes: [UInt8]) -> Int? {
        var iterator = bytes.makeIterator()
        var decoder = UTF8()
        var offset = 0
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }

    /// Whether the tree's depth is within the limit; found without recursion.
    private static func isWalkable(_ tree: Syntax) -> Bool {
        var open: [(node: Syntax, depth: Int)] = [(tree, 1)]
        while let (node, depth) = open.popLast() {
            if depth > greatestDepth { return false }
            for child in node.children(viewMode: .all) where !child.is(TokenSyntax.self) {
                open.append((child, depth + 1))
            }
        }
        return true
    }
}
