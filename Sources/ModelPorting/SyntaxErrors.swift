import SwiftDiagnostics
import SwiftParserDiagnostics
import SwiftSyntax

/// The errors that the parser has found in a tree.
///
/// The parser's own messages take time with the square of the errors in the piece that they cover; so they are requested for
/// small pieces, one after another, and in a large piece the error is described by its token.
struct SyntaxErrors {
    /// The largest piece, in bytes.
    private static let largestPiece = 500

    /// In the order of their positions.
    private(set) var found: [(message: String, location: AbsolutePosition)] = []

    init(of tree: SourceFileSyntax, most: Int) {
        // Pieces still to be checked, the first one last.
        var open = [Syntax(tree)]
        while let piece = open.popLast(), found.count < most {
            guard piece.hasError else { continue }
            if piece.totalLength.utf8Length <= Self.largestPiece {
                found += Self.errors(in: piece)
                continue
            }
            let children = piece.children(viewMode: .all)
            if let message = Self.ownError(of: piece) {
                found.append((message, piece.positionAfterSkippingLeadingTrivia))
            } else {
                open += children.reversed()
            }
        }
        found = Array(found.sorted { $0.location < $1.location }.prefix(most))
    }

    private static func errors(in piece: Syntax) -> [(message: String, location: AbsolutePosition)] {
        if let message = ownError(of: piece) { return [(message, piece.positionAfterSkippingLeadingTrivia)] }
        return ParseDiagnosticsGenerator.diagnostics(for: piece)
            .filter { $0.diagMessage.severity == .error }.map { ($0.message, $0.position) }
    }

    /// What is wrong with a token that is missing, or with code that fits nowhere; nil for anything else.
    private static func ownError(of piece: Syntax) -> String? {
        if let token = piece.as(TokenSyntax.self) {
            return token.presence == .missing ? "expected '\(token.text)'" : "unexpected text"
        }
        return piece.is(UnexpectedNodesSyntax.self) ? "unexpected code" : nil
    }
}
