import Foundation
import Mustache

/// The templates of the pages, read once.
struct Templates: Sendable {
    private let library: MustacheLibrary

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: what is wrong with a template; a missing folder.
    init(folder: URL) throws {
        MustacheContentTypes.register(EscapedMarkup(), named: EscapedMarkup.name)
        var templates: [String: MustacheTemplate] = [:]
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        for file in files where file.pathExtension == "mustache" {
            let name = file.deletingPathExtension().lastPathComponent
            let text = try String(contentsOf: file, encoding: .utf8)
            do {
                // Each template names its way of escaping itself: a partial does not inherit it.
                templates[name] = try MustacheTemplate(
                    string: "{{% CONTENT_TYPE:\(EscapedMarkup.name)}}" + text)
            } catch {
                throw Missing(description: "The template \(name) cannot be read: \(error).")
            }
        }
        library = MustacheLibrary(templates: templates)
    }

    /// - Throws: when there is no such template.
    func render(_ name: String, _ values: Any) throws -> String {
        guard let text = library.render(values, withTemplate: name) else {
            throw Missing(description: "There is no template \(name).")
        }
        return text
    }
}

/// Escapes what has a meaning in HTML, in text and in quoted attributes.
///
/// Byte by byte: what looks at whole characters passes over a quotation mark that carries a combining accent, while
/// a browser sees a quotation mark.
struct EscapedMarkup: MustacheContentType {
    static let name = "BOOKS"

    func escapeText(_ text: String) -> String {
        guard text.utf8.contains(where: { Self.escape($0) != nil }) else { return text }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            if let escape = Self.escape(byte) {
                escaped += escape.utf8
            } else {
                escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func escape(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }
}
