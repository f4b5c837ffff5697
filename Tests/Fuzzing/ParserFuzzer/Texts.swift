@testable import BooksCSV
import CocoaFoundation
import FuzzerDriver

// Foundation has a shell of the same name.
private typealias NSExpression = CocoaFoundation.NSExpression

/// Predicates, and values separated by commas.
enum Texts {
    static var subjects: [FuzzedSubject] { [predicates, csv] }

    private static var predicates: FuzzedSubject {
        let object: [String: Any] = [
            "name": "Ada", "age": 36, "price": NSDecimalNumber(string: "12.5"), "ratio": 0.25,
            "born": Date(timeIntervalSinceReferenceDate: 1000), "tags": ["a", "b", "a"], "flag": true,
            "pages": [["number": 1, "text": "one"], ["number": 2, "text": "two"]], "set": Set([1, 2, 3]),
        ]
        return FuzzedSubject("predicates", longestInput: 512, seconds: 20) { data in
            guard let text = String(validating: data, as: UTF8.self) else { return }
            guard let predicate = try? NSPredicate(parsing: text, arguments: ["name", 1]) else {
                let expression = try NSExpression(parsing: text, arguments: ["name", 1])
                _ = expression.description
                _ = try expression.value(with: object)
                return
            }
            let again = try NSPredicate(parsing: predicate.formatString)
            mustHold(
                again.isEquivalent(to: predicate), "printed as another predicate: \(predicate.formatString)")
            mustHold(again.hash == predicate.hash, "another hash: \(predicate.formatString)")
            _ = try? predicate.matches(object, substitutionVariables: ["x": 1])
            let archive = try KeyedArchiveWriter.archivedData(withRootObject: predicate)
            let read = try KeyedArchiveReader.root(of: [NSPredicate.self], from: archive) as? NSPredicate
            mustHold(read?.isEquivalent(to: predicate) == true, "archived as another predicate")
        }
    }

    /// A text that comes in pieces has the records that it has as a whole.
    private static var csv: FuzzedSubject {
        FuzzedSubject("csv", longestInput: 1024) { data in
            let size = 1 + Int(data.first ?? 0) % 7
            let text = Data(data.dropFirst())
            let lines = try lines(of: text, size: max(1, text.count))
            try mustHold(
                self.lines(of: text, size: size) == lines, "other records in pieces of \(size) bytes")
        }
    }

    private static func lines(of text: Data, size: Int) throws -> [CSVLine] {
        var rest = text
        var reader = CSVReader {
            defer { rest = Data(rest.dropFirst(size)) }
            return rest.isEmpty ? nil : Data(rest.prefix(size))
        }
        var lines: [CSVLine] = []
        while let line = try reader.next() { lines.append(line) }
        return lines
    }
}
