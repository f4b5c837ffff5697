import CocoaFoundation

#if canImport(FoundationXML)
import FoundationXML
#endif

extension ModelElement {
    /// The bounds of what is taken for a model; real ones stay far below.
    package enum Limit {
        /// Bytes of a file.
        package static let fileSize = 128 << 20
        /// Elements of a file.
        package static let elements = 250_000
        /// Elements within each other.
        package static let depth = 64
        /// Bytes of one tag.
        package static let tagSize = 1 << 20
    }

    /// Reads the XML text of a model.
    ///
    /// Document types and entities are refused before the parser sees the text, so that it has nothing to
    /// expand and nothing to load.
    ///
    /// - Throws: `ModelFileError` with the line.
    package init(xml data: Data) throws {
        try XMLGuard.check(data)
        let reader = TreeReader()
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        // An error behind the root element is set, but not returned.
        let isWellFormed = parser.parse() && parser.parserError == nil
        if let failure = reader.failure { throw failure }
        guard isWellFormed, let root = reader.root else {
            let reason = parser.parserError.map { " (\(($0 as NSError).code))" } ?? ""
            throw ModelFileError(
                .malformed, "the text is not well-formed XML\(reason)", line: parser.lineNumber)
        }
        self = root
    }
}

/// What is looked at before text goes to the XML parser.
private enum XMLGuard {
    static func check(_ data: Data) throws {
        guard data.count <= ModelElement.Limit.fileSize else {
            throw ModelFileError(
                .tooLarge, "the file has \(data.count) bytes; at most \(ModelElement.Limit.fileSize) are read"
            )
        }
        try checkEncoding(data)
        try data.withUnsafeBytes { try checkTags($0) }
    }

    /// Only UTF-8 is read, as Xcode writes it: in another encoding a document type could hide from the check.
    private static func checkEncoding(_ data: Data) throws {
        let head = String(decoding: data.prefix(256), as: UTF8.self)
        guard
            let declaration = head.range(of: "<?xml").flatMap({ start in
                head.range(of: "?>", range: start.upperBound..<head.endIndex).map {
                    head[start.upperBound..<$0.lowerBound]
                }
            }), let encoding = declaration.range(of: "encoding")
        else { return }
        let value = declaration[encoding.upperBound...].drop { " \t\r\n='\"".contains($0) }
            .prefix { !"'\" ".contains($0) }
        guard ["utf-8", "utf8", "us-ascii"].contains(value.lowercased()) else {
            throw ModelFileError(.unsupportedForm, "the encoding '\(value)' is not read; use UTF-8", line: 1)
        }
    }

    private static func checkTags(_ bytes: UnsafeRawBufferPointer) throws {
        var line = 1
        var tags = 0
        var tagStart = 0
        for index in bytes.indices {
            switch bytes[index] {
            case 0:
                throw ModelFileError(.malformed, "the text contains a zero byte: it is not UTF-8", line: line)
            case UInt8(ascii: "\n"):
                line += 1
            case UInt8(ascii: "<"):
                tags += 1
                tagStart = index
                // A start tag and an end tag for each element, and a few comments.
                if tags > 2 * ModelElement.Limit.elements + 100 {
                    throw ModelFileError(.tooLarge, "there are too many elements", line: line)
                }
                let next = bytes[(index + 1)...].prefix(2)
                if next.first == UInt8(ascii: "!"), let kind = next.last, kind != UInt8(ascii: "-"),
                    kind != UInt8(ascii: "[")
                {
                    throw ModelFileError(
                        .malformed, "document types and entities are not allowed in a model", line: line)
                }
            default:
                break
            }
            if index - tagStart > ModelElement.Limit.tagSize {
                throw ModelFileError(.tooLarge, "a tag, or the text behind it, is too long", line: line)
            }
        }
    }
}

/// Builds the tree from the events of the XML parser.
private final class TreeReader: NSObject, XMLParserDelegate {
    var root: ModelElement?
    var failure: ModelFileError?
    private var open: [ModelElement] = []
    private var count = 0

    private func fail(_ error: ModelFileError, _ parser: XMLParser) {
        if failure == nil { failure = error }
        parser.abortParsing()
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String] = [:]
    ) {
        guard failure == nil else { return }
        count += 1
        if open.count >= ModelElement.Limit.depth {
            fail(.init(.tooLarge, "elements are nested too deeply", line: parser.lineNumber), parser)
        } else if count > ModelElement.Limit.elements {
            fail(.init(.tooLarge, "there are too many elements", line: parser.lineNumber), parser)
        } else {
            open.append(ModelElement(elementName, attributes: attributes, line: parser.lineNumber))
        }
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard failure == nil, let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard failure == nil, !open.isEmpty, string.contains(where: { !$0.isWhitespace }) else { return }
        open[open.count - 1].text += string
    }
}
