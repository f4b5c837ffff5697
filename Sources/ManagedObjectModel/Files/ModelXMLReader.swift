import CocoaFoundation

/// A reader of the XML that model files are written in: elements, attributes, text, comments and references
/// to characters.
///
/// Foundation's `XMLParser` is not used because on Linux it stops the program on strings that a hostile file
/// can have (`xmlns=""`, bytes that are not UTF-8), and because it does not report the order of attributes.
/// There is no document type and thus nothing to expand and nothing to load. The text has been found to be
/// valid UTF-8; the reader works on its bytes.
struct ModelXMLReader {
    let bytes: [UInt8]
    var position = 0
    /// Whether a document type that refers to a file, which is not read, may precede the root element.
    private let allowsDocumentType: Bool
    private var countedLine = 1
    private var countedPosition = 0

    init(_ data: Data, allowsDocumentType: Bool = false) {
        bytes = Array(data)
        self.allowsDocumentType = allowsDocumentType
    }

    // MARK: Structure

    /// Reads the whole string.
    mutating func document() throws -> ModelElement {
        _ = skip("\u{FEFF}")
        try declaration()
        try misc()
        if allowsDocumentType, skip("<!DOCTYPE") {
            try documentType()
            try misc()
        }
        guard peek() == UInt8(ascii: "<") else { throw malformed("there is no element") }
        let root = try elementTree()
        try misc()
        guard position == bytes.count else { throw malformed("there is content after the root element") }
        return root
    }

    /// Reads an element with all that is in it. The open elements are kept in an array, so that depth costs
    /// no stack.
    private mutating func elementTree() throws -> ModelElement {
        var open: [ModelElement] = []
        var count = 0
        while true {
            var closed: ModelElement?
            if skip("</") {
                closed = try endTag(of: open.popLast())
            } else if !open.isEmpty, skip("<![CDATA[") {
                open[open.count - 1].text += try markedCharacters()
            } else if try skipCommentOrInstruction() {
                continue
            } else if peek() == UInt8(ascii: "<") {
                position += 1
                count += 1
                guard count <= ModelElement.Limit.elements else {
                    throw tooLarge("there are too many elements")
                }
                guard open.count < ModelElement.Limit.depth else {
                    throw tooLarge("elements are nested too deeply")
                }
                let (element, isEmpty) = try startTag()
                if isEmpty { closed = element } else { open.append(element) }
            } else {
                try characters(into: &open)
            }
            guard let closed else { continue }
            if open.isEmpty { return closed }
            open[open.count - 1].children.append(closed)
        }
    }

    /// Reads a start tag after its `<`, and whether it is the end of the element as well.
    private mutating func startTag() throws -> (ModelElement, isEmpty: Bool) {
        var element = ModelElement("", line: line())
        element.name = try name()
        var names: Set<[UInt8]> = []
        while true {
            let hasSpace = skipSpace()
            if skip("/>") { return (element, true) }
            if skip(">") { return (element, false) }
            guard hasSpace else {
                throw malformed("there is no space before an attribute of <\(element.name)>")
            }
            let attribute = try name()
            skipSpace()
            guard skip("=") else { throw malformed("the attribute '\(attribute)' has no value") }
            skipSpace()
            let value = try quotedValue()
            guard names.insert(Array(attribute.utf8)).inserted else {
                throw malformed("the attribute '\(attribute)' occurs twice")
            }
            guard names.count <= ModelElement.Limit.attributes else {
                throw tooLarge("<\(element.name)> has too many attributes")
            }
            element.attributes.append(ModelElement.Attribute(attribute, value))
        }
    }

    private mutating func endTag(of element: ModelElement?) throws -> ModelElement {
        let closing = try name()
        skipSpace()
        guard skip(">") else { throw malformed("</\(closing)> has no end") }
        guard let element, element.name.utf8Equals(closing) else {
            throw malformed("</\(closing)> does not end <\(element?.name ?? "")>")
        }
        return element
    }

    /// Reads text up to the next tag and keeps it unless it is white space that no reference stands for.
    private mutating func characters(into open: inout [ModelElement]) throws {
        guard peek() != nil else {
            throw malformed("the text ends before </\(open.last?.name ?? "")>")
        }
        skipSpace()
        if peek() == UInt8(ascii: "<") { return }
        open[open.count - 1].text += try value(upTo: UInt8(ascii: "<"), isAttribute: false)
    }

    // MARK: Around the elements

    /// Reads `<?xml …?>`. Only UTF-8 is read, as Xcode writes it.
    private mutating func declaration() throws {
        guard skip("<?xml"), let next = peek() else { return }
        guard Self.isSpace(next) || next == UInt8(ascii: "?") else {
            throw malformed("the XML declaration cannot be read")
        }
        let settings = try text(upTo: "?>")
        guard let encoding = settings.firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/)?.1 else { return }
        guard ["utf-8", "utf8", "us-ascii"].contains(encoding.lowercased()) else {
            throw ModelFileError(
                .unsupportedForm, "the encoding '\(encoding)' is not read; use UTF-8", line: 1)
        }
    }

    /// Passes over a document type behind its `<!DOCTYPE`. One that declares something itself is refused.
    private mutating func documentType() throws {
        while let next = peek(), next != UInt8(ascii: ">") {
            switch next {
            case UInt8(ascii: "["), UInt8(ascii: "<"):
                throw malformed("a document type must not declare anything")
            case UInt8(ascii: "\""): position += 1; try pass("\"")
            case UInt8(ascii: "'"): position += 1; try pass("'")
            default: position += 1
            }
        }
        guard skip(">") else { throw malformed("the document type has no end") }
    }

    /// Passes over space, comments and processing instructions.
    private mutating func misc() throws {
        while true {
            let hasSpace = skipSpace()
            let hasComment = try skipCommentOrInstruction()
            if !hasSpace && !hasComment { return }
        }
    }

    /// Passes over a comment or a processing instruction, if there is one, and refuses declarations.
    private mutating func skipCommentOrInstruction() throws -> Bool {
        if skip("<!--") {
            try pass("-->")
            return true
        }
        if skip("<?") {
            try pass("?>")
            return true
        }
        if startsWith("<!") {
            // The caller looks at it.
            if allowsDocumentType, startsWith("<!DOCTYPE") { return false }
            throw malformed("document types and entities are not allowed in a model")
        }
        return false
    }

    // MARK: Errors

    func malformed(_ detail: String) -> ModelFileError {
        ModelFileError(
            .malformed, "the text is not well-formed XML: \(detail)", line: lineNumber(of: position))
    }

    private func tooLarge(_ detail: String) -> ModelFileError {
        ModelFileError(.tooLarge, detail, line: lineNumber(of: position))
    }

    /// The line of the present position. Counts on from the last call.
    private mutating func line() -> Int {
        countedLine = lineNumber(of: position)
        countedPosition = position
        return countedLine
    }

    private func lineNumber(of position: Int) -> Int {
        countedLine + bytes[countedPosition..<position].count { $0 == UInt8(ascii: "\n") }
    }
}
