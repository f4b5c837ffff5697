import Dispatch
import SwiftSyntax

/// Rewrites the Swift sources of a module that were written for Apple's Core Data, so that they compile where there is
/// no Objective-C runtime.
///
/// ```swift
/// let ported = SourcePort([PortSource(name: "Book.swift", text: text)]).ported()
/// ```
///
/// The sources of a module are ported together: a class and the extension with its properties may be in two files, and
/// whether a class is one of managed objects may be seen in a third.
///
/// A ported source begins with a few lines of its own and with `#sourceLocation`. Then follow the lines of the source,
/// each where it was, so that what the compiler says is said of the source; what is added is on the line of the
/// declaration that it is for, or after the last line.
package struct SourcePort {
    private let sources: [PortSource]
    private let modelKeys: [String: Set<String>]
    private let timeLimit: Double

    /// - Parameters:
    ///   - sources: all sources of the module that are to be ported.
    ///   - modelKeys: the names of an entity's properties in the model by the name of its class. They distinguish `URLs` from
    ///     `uRLs` in `addURLsObject(_:)`, and a property that is called `primitiveAge` in the model from the primitive
    ///     value of `age`. The sources' own properties are known without.
    ///   - timeLimit: how many seconds the parser has for one source, and rewriting on the average of all. The longest
    ///     sources take two.
    package init(
        _ sources: [PortSource], modelKeys: [String: Set<String>] = [:], timeLimit: Double = 60
    ) {
        self.sources = sources
        self.timeLimit = timeLimit
        self.modelKeys = modelKeys
    }

    /// The ported sources, in the order of the sources. The same sources give the same output.
    package func ported() -> [PortedSource] {
        let read = parsed()
        let trees = read.compactMap { try? $0.get() }
        // Trees are walked on a stack as deep as the one that they were made on.
        let ported = DeepStack.run(until: .now() + timeLimit * Double(trees.count)) { [self] in
            let module = ModuleDeclarations(trees, modelKeys: modelKeys)
            return trees.map { FilePort($0, module).ported() }
        }
        var next = ported?.makeIterator()
        return zip(sources, read).map { source, result in
            switch result {
            case .success:
                next?.next()
                    ?? Self.refused(
                        source, Refusal(source, "rewriting the sources takes too long: divide them"))
            case .failure(let refusal): Self.refused(source, refusal)
            }
        }
    }

    private static func refused(_ source: PortSource, _ refusal: Refusal) -> PortedSource {
        PortedSource(name: source.name, text: nil, diagnostics: refusal.diagnostics)
    }

    /// The trees of the sources. The parser takes too long for some unusual sources; after the first of them
    /// nothing more is parsed, so that no more than one thread is left with it.
    private func parsed() -> [Result<ParsedSource, Refusal>] {
        var slowSource: String?
        return sources.map { source in
            if let slowSource {
                return .failure(
                    Refusal(source, "not parsed, because '\(slowSource)' took too long: divide that file"))
            }
            let calls = DeepStack.calls(for: source.bytes)
            guard calls <= DeepStack.maxCalls else {
                return .failure(Refusal(source, "the file is too long to be parsed: divide it"))
            }
            let result = DeepStack.run(calls: calls, until: .now() + timeLimit) {
                Result { () throws(Refusal) in try ParsedSource(source) }
            }
            if let result { return result }
            slowSource = source.name
            return .failure(Refusal(source, "parsing the file takes too long: divide it"))
        }
    }
}

/// Why a source is not looked at.
struct Refusal: Error {
    let diagnostics: [PortDiagnostic]

    init(diagnostics: [PortDiagnostic]) { self.diagnostics = diagnostics }

    init(_ source: PortSource, _ message: String, line: Int = 1, column: Int = 1) {
        diagnostics = [
            PortDiagnostic(file: source.name, line: line, column: column, severity: .error, message: message)
        ]
    }

    /// - Parameter offset: the position in bytes.
    init(_ source: PortSource, _ message: String, at offset: Int) {
        let before = source.bytes[..<offset]
        let start = before.lastIndex(of: 10).map { $0 + 1 } ?? 0
        self.init(source, message, line: before.count { $0 == 10 } + 1, column: offset - start + 1)
    }
}
