import TestSupport
import Testing

@testable import ModelTools

/// What the check says about models that are in use in real applications.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct CorpusCheckTests {
    @Test("The check of Xcode's models finds no errors but missing types, each with its line")
    func modelsOfXcodeHaveFewMistakes() throws {
        let paths = Corpus.some(Corpus.files(named: "contents", under: "models"))
        #expect(!paths.isEmpty)
        var counts: [ModelFinding.Code: Int] = [:]
        var errors: [ModelFinding] = []
        for path in paths {
            for finding in ModelCheck.findings(in: Corpus.url(path)) {
                counts[finding.code, default: 0] += 1
                if finding.severity == .error { errors.append(finding) }
                #expect(finding.line != nil, "\(finding)")
            }
        }
        for (code, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            print("corpus: check: \(code.rawValue) ×\(count)")
        }
        // Errors of models that Xcode compiles would be false alarms. Two models were saved in the middle of work.
        for error in errors { #expect(error.code == .attributeWithoutType, "\(error)") }
    }
}
