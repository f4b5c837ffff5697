import Hummingbird
import LocalSite
import ModelTools

/// What is said about a document while it is edited.
struct CheckRoutes: Sendable {
    private let document: ModelDocument

    init(_ document: ModelDocument) { self.document = document }

    /// A string that is being typed.
    private struct Text: Decodable {
        enum Kind: String, Decodable {
            case derivation, predicate, expression, constraint, pattern
        }

        var kind: Kind
        var text: String
        /// The position of the element that has the text; none for a pattern.
        var at: [Int]?
        var version: String?
        /// What a regular expression is tried on.
        var sample: String?
    }

    private static let longestText = 10_000

    func add(to router: Router<LocalRequestContext>) {
        router.get("api/analysis") { request, _ in
            let parameters = request.uri.queryParameters
            let version = parameters["version"].map(String.init)
            let from = parameters["from"].map(String.init).flatMap { $0.isEmpty ? nil : $0 }
            let style = parameters["style"].map(String.init).flatMap(GenerationOptions.Style.init(rawValue:))
            return try await answer {
                let view = try await document.view(of: version)
                let tree = try await document.tree(of: view.version)
                let base =
                    if let from {
                        (name: from, tree: try await document.tree(of: from))
                    } else {
                        (name: view.version, tree: try await document.savedTree(of: view.version))
                    }
                let name = document.url.deletingPathExtension().lastPathComponent
                return ModelAnalysis(of: tree, name: name, comparedWith: base, style: style ?? .plain)
            }
        }
        router.post("api/check") { request, context in
            let text = try await request.json(Text.self, context)
            guard max(text.text.utf8.count, text.sample?.utf8.count ?? 0) <= Self.longestText else {
                throw SiteError(.contentTooLarge, code: "size", "The text is too long to be checked.")
            }
            return try await answer {
                if text.kind == .pattern {
                    return TextCheck.pattern(text.text, sample: text.sample ?? "")
                }
                guard let version = text.version, let path = text.at else {
                    throw EditError("The check needs the position of the text in the model.")
                }
                let tree = try await document.tree(of: version)
                return switch text.kind {
                case .predicate: try TextCheck.predicate(text.text, at: path, in: tree)
                case .expression: try TextCheck.expression(text.text, at: path, in: tree)
                case .constraint: try TextCheck.constraint(text.text, at: path, in: tree)
                default: try TextCheck.derivation(text.text, at: path, in: tree)
                }
            }
        }
    }
}
