import CocoaFoundation

@testable import ManagedObjectModel

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The tree that Foundation's parser makes of a text, to compare ours with.
final class FoundationTree: NSObject, XMLParserDelegate {
    private(set) var root: ModelElement?
    private var open: [ModelElement] = []

    init(_ data: Data) {
        super.init()
        let parser = XMLParser(data: data)
        parser.delegate = self
        if !parser.parse() { root = nil }
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String] = [:]
    ) {
        open.append(ModelElement(elementName, attributes: attributes.map { .init($0.key, $0.value) }))
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard let element = open.popLast() else { return }
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }
}
