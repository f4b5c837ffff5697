import Foundation

/// A record of a CSV file, or the reason why there is none.
enum CSVLine: Equatable, Sendable {
    /// The fields of a record, and the number of the line it begins on; the first line is 1.
    case record(line: Int, fields: [String])
    /// A line that could not be read.
    case refused(line: Int, reason: CSVProblem)
}

/// What is wrong with a line of a CSV file.
enum CSVProblem: String, Sendable {
    case tooLong = "the line is longer than 1 MiB"
    case unclosedQuote = "a quoted field does not end"
    case quoteInField = "a quotation mark inside a field that is not quoted"
    case textAfterQuote = "text after the end of a quoted field"
    case zeroByte = "a zero byte: this is not a text file in UTF-8"
    case invalidText = "the text is not valid UTF-8"
}

/// Reads records from CSV text as RFC 4180 describes it, piece by piece.
///
/// Fields are separated by commas and may be quoted; a quoted field may hold commas, line ends and, doubled,
/// quotation marks. Lines end with LF, CRLF or CR; empty ones are passed over, as is a byte order mark.
///
/// A broken line does not end the reading: it is refused, and reading goes on with the line after it. A quote that
/// never ends costs one line, not the rest of the file. Memory holds one record and one piece of input.
struct CSVReader: ~Copyable {
    /// The longest record, in bytes.
    static let longestRecord = 1 << 20
    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private let nextPiece: () throws -> Data?
    private var buffer: [UInt8] = []
    /// Where the record that is being read begins in the buffer.
    private var start = 0
    private var isAtEnd = false
    private var line = 1
    private var isFirst = true
    /// How many bytes have been read and are done with.
    private(set) var bytesRead = 0

    /// A reader of what a closure gives, piece by piece; an empty piece or nil is the end.
    init(_ nextPiece: @escaping () throws -> Data?) { self.nextPiece = nextPiece }

    /// The next record; nil at the end.
    ///
    /// - Throws: what the source of the bytes throws.
    mutating func next() throws -> CSVLine? {
        if isFirst { try skipByteOrderMark() }
        while true {
            var scan = scan()
            while case .incomplete = scan {
                try readPiece()
                scan = self.scan()
            }
            switch scan {
            case .incomplete, .end: return nil
            case .empty(let end): advance(to: end)
            case .fields(let fields, let end):
                let first = line
                let texts = texts(fields)
                advance(to: end)
                guard let texts else { return .refused(line: first, reason: .invalidText) }
                return .record(line: first, fields: texts)
            case .broken(let problem):
                let first = line
                try skipLine()
                return .refused(line: first, reason: problem)
            }
        }
    }

    // MARK: Bytes

    private mutating func readPiece() throws {
        if let piece = try nextPiece(), !piece.isEmpty {
            if start > 0 {
                buffer.removeSubrange(..<start)
                start = 0
            }
            buffer.append(contentsOf: piece)
        } else {
            isAtEnd = true
        }
    }

    private mutating func skipByteOrderMark() throws {
        isFirst = false
        while buffer.count < 3, !isAtEnd { try readPiece() }
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { consume(to: 3) }
    }

    private mutating func consume(to end: Int) {
        bytesRead += end - start
        start = end
    }

    /// Goes on after a record, counting the lines it covered.
    private mutating func advance(to end: Int) {
        line += lineEnds(in: start..<end)
        consume(to: end)
    }

    private func lineEnds(in range: Range<Int>) -> Int {
        var count = 0
        for index in range {
            let byte = buffer[index]
            let isSecondOfTwo = index > range.lowerBound && buffer[index - 1] == Self.carriageReturn
            if byte == Self.carriageReturn || byte == Self.lineFeed && !isSecondOfTwo { count += 1 }
        }
        return count
    }

    /// Goes on after the first end of a line, whatever quotes say.
    private mutating func skipLine() throws {
        while true {
            if let end = buffer[start...].firstIndex(where: {
                $0 == Self.lineFeed || $0 == Self.carriageReturn
            }) {
                if buffer[end] == Self.carriageReturn, end + 1 == buffer.count, !isAtEnd {
                    try readPiece()
                    continue
                }
                let isPair =
                    buffer[end] == Self.carriageReturn && end + 1 < buffer.count
                    && buffer[end + 1] == Self.lineFeed
                consume(to: end + (isPair ? 2 : 1))
                line += 1
                return
            }
            // The rest of an endless line need not be kept.
            consume(to: buffer.count)
            guard !isAtEnd else { return }
            try readPiece()
        }
    }

    // MARK: Fields

    private struct Field {
        var range: Range<Int>
        /// Whether there are doubled quotation marks in it.
        var isEscaped = false
    }

    private enum Scan {
        case fields([Field], end: Int)
        case empty(end: Int)
        case broken(CSVProblem)
        /// More bytes are needed.
        case incomplete
        case end
    }

    /// Looks for a whole record from ``start`` on.
    private func scan() -> Scan {
        buffer.withUnsafeBufferPointer { bytes in
            guard start < bytes.count else { return isAtEnd ? .end : .incomplete }
            if let end = Self.lineEnd(bytes, start, isAtEnd), case .after(let next) = end {
                return .empty(end: next)
            }
            var fields: [Field] = []
            var index = start
            while true {
                let isQuoted = index < bytes.count && bytes[index] == Self.quote
                let result = isQuoted ? quoted(bytes, index + 1) : plain(bytes, index)
                switch result {
                case .broken(let problem): return .broken(problem)
                case .incomplete:
                    if bytes.count - start > Self.longestRecord { return .broken(.tooLong) }
                    return .incomplete
                case .field(let field, let end):
                    if end - start > Self.longestRecord { return .broken(.tooLong) }
                    fields.append(field)
                    if end < bytes.count, bytes[end] == Self.comma {
                        index = end + 1
                        if index == bytes.count, !isAtEnd { return .incomplete }
                        continue
                    }
                    switch Self.lineEnd(bytes, end, isAtEnd) {
                    case .after(let next): return .fields(fields, end: next)
                    case .unknown: return .incomplete
                    case nil: return .broken(.textAfterQuote)
                    }
                }
            }
        }
    }

    private enum LineEnd {
        case after(Int)
        /// A carriage return is the last byte: a line feed may follow.
        case unknown
    }

    /// The end of a line at an index; the end of the file is one.
    private static func lineEnd(
        _ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ isAtEnd: Bool
    ) -> LineEnd? {
        guard index < bytes.count else { return isAtEnd ? .after(index) : .unknown }
        switch bytes[index] {
        case lineFeed: return .after(index + 1)
        case carriageReturn:
            if index + 1 < bytes.count { return .after(bytes[index + 1] == lineFeed ? index + 2 : index + 1) }
            return isAtEnd ? .after(index + 1) : .unknown
        default: return nil
        }
    }

    private enum FieldScan {
        case field(Field, end: Int)
        case broken(CSVProblem)
        case incomplete
    }

    /// A field without quotes; it ends before a comma, a line end or the end of the file.
    private func plain(_ bytes: UnsafeBufferPointer<UInt8>, _ first: Int) -> FieldScan {
        var index = first
        while index < bytes.count {
            switch bytes[index] {
            case Self.comma, Self.lineFeed, Self.carriageReturn:
                return .field(Field(range: first..<index), end: index)
            case Self.quote: return .broken(.quoteInField)
            case 0: return .broken(.zeroByte)
            default: index += 1
            }
        }
        return isAtEnd ? .field(Field(range: first..<index), end: index) : .incomplete
    }

    /// A field after its first quotation mark.
    private func quoted(_ bytes: UnsafeBufferPointer<UInt8>, _ first: Int) -> FieldScan {
        var field = Field(range: first..<first)
        var index = first
        while index < bytes.count {
            switch bytes[index] {
            case Self.quote:
                guard index + 1 < bytes.count || isAtEnd else { return .incomplete }
                guard index + 1 < bytes.count, bytes[index + 1] == Self.quote else {
                    field.range = first..<index
                    return .field(field, end: index + 1)
                }
                field.isEscaped = true
                index += 2
            case 0: return .broken(.zeroByte)
            default: index += 1
            }
        }
        return isAtEnd ? .broken(.unclosedQuote) : .incomplete
    }

    /// The fields as text; nil when one is not valid UTF-8.
    private func texts(_ fields: [Field]) -> [String]? {
        var texts: [String] = []
        texts.reserveCapacity(fields.count)
        for field in fields {
            guard let text = String(validating: buffer[field.range], as: UTF8.self) else { return nil }
            texts.append(field.isEscaped ? text.replacing("\"\"", with: "\"") : text)
        }
        return texts
    }
}
