import CoreDataSQL
import GRDBSQLite
import GRDB

/// The tables that nothing but their columns decides about: a statement that writes to one of them, and names columns that it has,
/// compiles.
///
/// No trigger is of such a table, its definition has no expressions, other tables or collations, and its indexes are of columns in
/// SQLite's own collations. A definition that is not understood here counts as another one.
struct PlainTables {
    /// In lower case, as SQLite compares them.
    private var names: Set<String> = []

    /// - Throws: `DatabaseError`.
    init(_ database: Database) throws {
        var others: Set<String> = []
        var refersToTables = false
        try PreparedStatements.step(
            "SELECT type = 'table', type = 'index', tbl_name, sql FROM sqlite_master WHERE type <> 'view'",
            [],
            database
        ) { row in
            // An index without a definition is that of a constraint.
            let start = sqlite3_column_text(row, 3)
            let count = Int(sqlite3_column_bytes(row, 3))
            let isIndex = sqlite3_column_int(row, 1) != 0
            if start == nil, isIndex { return }
            let table = SQLiteReader.text(row, 2).lowercased()
            let definition = Definition(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
            if sqlite3_column_int(row, 0) != 0 {
                refersToTables = refersToTables || definition.has("REFERENCES")
                if definition.isPlainTable { names.insert(table) } else { others.insert(table) }
            } else if !isIndex || !definition.isPlainIndex {
                others.insert(table)
            }
        }
        // What refers to a table takes part in writing to it.
        if refersToTables { names = [] } else { names.subtract(others) }
    }

    func contains(_ table: String) -> Bool { names.contains(table.lowercased()) }

    /// The tokens of the statement that made a table or an index, one after the other.
    private struct Definition {
        private enum Token {
            /// A keyword, a name without quotation marks, or a number.
            case word(Range<Int>)
            case quotedName
            case mark(UInt8)
            /// Anything else.
            case other
        }

        private let text: UnsafeBufferPointer<UInt8>

        init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

        /// Whether a word is anywhere in the text, also inside of another one.
        func has(_ word: StaticString) -> Bool {
            let count = word.utf8CodeUnitCount
            guard count <= text.count else { return false }
            return (0...(text.count - count)).contains { isWord(word, $0..<($0 + count)) }
        }

        /// Whether a table has columns with types, keys and requirements of values, and nothing else.
        var isPlainTable: Bool {
            var index = 0
            var count = 0
            while let token = next(&index) {
                count += 1
                switch token {
                case .word(let range):
                    if count == 1, !isWord("CREATE", range) { return false }
                    if count == 2, !isWord("TABLE", range) { return false }
                    if Self.excluded.contains(where: { isWord($0, range) }) { return false }
                case .quotedName: break
                case .mark(let mark):
                    guard "(),".utf8.contains(mark) else { return false }
                case .other: return false
                }
            }
            return count > 3
        }

        /// What begins an expression, refers to another table or names a collation.
        private static let excluded: [StaticString] = [
            "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "FOREIGN", "GENERATED", "AS", "SELECT",
        ]

        /// Whether an index is of columns, in SQLite's own collations, and of all rows.
        var isPlainIndex: Bool {
            var index = 0
            // CREATE INDEX name ON table (
            opening: while true {
                switch next(&index) {
                case .mark(UInt8(ascii: "(")): break opening
                case .word, .quotedName: continue
                case .mark, .other, nil: return false
                }
            }
            while true {
                switch next(&index) {
                case .word(let name):
                    guard !isWord("CASE", name), !isWord("NOT", name), !isWord("CAST", name) else {
                        return false
                    }
                case .quotedName: break
                case .mark, .other, nil: return false
                }
                var token = next(&index)
                if case .word(let word) = token, isWord("COLLATE", word) {
                    guard case .word(let name) = next(&index),
                        isWord("BINARY", name) || isWord("NOCASE", name) || isWord("RTRIM", name)
                    else { return false }
                    token = next(&index)
                }
                if case .word(let word) = token, isWord("ASC", word) || isWord("DESC", word) {
                    token = next(&index)
                }
                switch token {
                case .mark(UInt8(ascii: ",")): continue
                case .mark(UInt8(ascii: ")")): return next(&index) == nil
                default: return false
                }
            }
        }

        /// Whether a part of the text is a word, in capitals or not.
        private func isWord(_ word: StaticString, _ range: Range<Int>) -> Bool {
            guard range.count == word.utf8CodeUnitCount else { return false }
            for (offset, index) in range.enumerated() where text[index] & ~0x20 != word.utf8Start[offset] {
                return false
            }
            return true
        }

        private func next(_ index: inout Int) -> Token? {
            while index < text.count, text[index] == 0x20 || (0x09...0x0D).contains(text[index]) {
                index += 1
            }
            guard index < text.count else { return nil }
            let byte = text[index]
            let start = index
            index += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
                let closing = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
                while index < text.count {
                    defer { index += 1 }
                    guard text[index] == closing else { continue }
                    // A mark that is there twice is one of the name.
                    guard closing == byte, index + 1 < text.count, text[index + 1] == closing else {
                        return .quotedName
                    }
                    index += 1
                }
                return .other
            case _ where Self.isOfWord(byte):
                while index < text.count, Self.isOfWord(text[index]) { index += 1 }
                return .word(start..<index)
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: "."):
                return .mark(byte)
            default: return .other
            }
        }

        private static func isOfWord(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
