import ModelPorting
import Testing

/// One source, ported alone or with others.
struct Ported {
    let text: String?
    let diagnostics: [PortDiagnostic]

    /// - Parameters:
    ///   - source: the source whose port is looked at.
    ///   - others: further sources of the module.
    init(_ source: String, with others: [String] = [], modelKeys: [String: Set<String>] = [:]) {
        let sources =
            [PortSource(name: "Book.swift", text: source)]
            + others.enumerated().map { PortSource(name: "Other\($0.offset).swift", text: $0.element) }
        let ported = SourcePort(sources, modelKeys: modelKeys).ported()
        // CR and LF are one character of Swift, which is not split at LF.
        text = ported[0].text?.replacing("\r\n", with: "\n")
        diagnostics = ported[0].diagnostics
    }

    /// The lines that stand for the source's own, without what comes before and behind; empty when there are none.
    var lines: [String] {
        guard let text else { return [] }
        let all = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let start = all.firstIndex { $0.hasPrefix("#sourceLocation(file") }.map { $0 + 1 } ?? 0
        let end = all.firstIndex { $0 == "#sourceLocation()" } ?? all.count
        return Array(all[start..<end])
    }

    /// The lines before the source's first.
    var header: [String] {
        let all = text?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) ?? []
        return Array(all.prefix { !$0.hasPrefix("#sourceLocation(file") })
    }

    /// The lines behind the source's last, without their indentation.
    var additions: [String] {
        let all = text?.split(separator: "\n").map { $0.drop { $0 == " " } }.map(String.init) ?? []
        return Array(all.drop { $0 != "#sourceLocation()" }.dropFirst())
    }

    var errors: [String] { diagnostics.filter { $0.severity == .error }.map(\.description) }
    var warnings: [String] { diagnostics.filter { $0.severity == .warning }.map(\.description) }
}

/// One line that is in a class of managed objects, as it comes out.
func portedMember(_ line: String, with others: [String] = []) -> String? {
    let ported = Ported("class Book: NSManagedObject {\n\(line)\n}", with: others)
    return ported.lines.count > 1 ? ported.lines[1] : nil
}
