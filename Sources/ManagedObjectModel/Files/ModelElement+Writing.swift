import CocoaFoundation

extension ModelElement {
    /// The XML text of the tree in the layout of Xcode: a declaration, four spaces for each level, attributes in
    /// their order on one line, elements without content closed in their start tag, and no line feed at the
    /// end.
    ///
    /// What is read from the text is the same tree, attributes in the same order. A file that Xcode wrote is
    /// written back byte by byte.
    ///
    /// - Throws: `ModelFileError` if a value contains a character that XML cannot hold.
    package func xml() throws -> Data {
        var writer = ModelXMLWriter()
        try writer.write(self)
        return Data(writer.bytes)
    }

    /// Whether the other tree is the same in everything that a file holds, the order of attributes included.
    package func isIdentical(to other: ModelElement) -> Bool {
        name.utf8Equals(other.name) && text.utf8Equals(other.text) && attributes == other.attributes
            && children.count == other.children.count
            && zip(children, other.children).allSatisfy { $0.isIdentical(to: $1) }
    }
}

/// A writer of the XML that model files are written in.
struct ModelXMLWriter {
    private(set) var bytes: [UInt8] = Array(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n".utf8)

    private enum Step {
        case element(ModelElement, depth: Int)
        case endTag(String, depth: Int)
    }

    /// Writes a tree. What is still to be written is kept in an array, so that depth costs no stack.
    mutating func write(_ root: ModelElement) throws {
        var rest: [Step] = [.element(root, depth: 0)]
        while let step = rest.popLast() {
            switch step {
            case .element(let element, let depth):
                try startTag(element, depth: depth)
                guard !element.children.isEmpty else { break }
                // Beside text white space would become part of the text.
                let inner = element.text.isEmpty && depth >= 0 ? depth + 1 : -1
                rest.append(.endTag(element.name, depth: element.text.isEmpty ? depth : -1))
                for child in element.children.reversed() { rest.append(.element(child, depth: inner)) }
            case .endTag(let name, let depth):
                beginLine(depth)
                append("</\(name)>")
            }
        }
    }

    private mutating func startTag(_ element: ModelElement, depth: Int) throws {
        beginLine(depth)
        append("<\(element.name)")
        for attribute in element.attributes {
            append(" \(attribute.name)=\"")
            try append(value: attribute.value, of: "\(element.name) \(attribute.name)", isAttribute: true)
            append("\"")
        }
        if element.text.isEmpty && element.children.isEmpty {
            append("/>")
            return
        }
        append(">")
        try append(text: element.text, of: element.name)
        if element.children.isEmpty { append("</\(element.name)>") }
    }

    /// Begins a new line at a depth. A depth below 0 stands for the inside of text, where there are no lines.
    private mutating func beginLine(_ depth: Int) {
        guard depth >= 0 else { return }
        if depth > 0 || bytes.last != UInt8(ascii: "\n") { append("\n") }
        for _ in 0..<depth { append("    ") }
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func append(text: String, of location: String) throws {
        // A reader skips white space before text, except where it is written as references.
        let space = text.utf8.prefix { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
        for byte in space { append("&#\(byte);") }
        try append(value: String(text[space.endIndex...]), of: location, isAttribute: false)
    }

    private mutating func append(value: String, of location: String, isAttribute: Bool) throws {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "\"") where isAttribute: append("&quot;")
            case 0x09 where isAttribute, 0x0A where isAttribute, 0x0D: append("&#\(byte);")
            case 0x09, 0x0A, 0x20...: bytes.append(byte)
            default:
                throw ModelFileError(
                    .invalidValue, "the value of '\(location)' contains the control character \(byte)")
            }
        }
    }
}
