import Foundation
import Hummingbird

/// What all pages share: the document, the templates, the token.
struct Site: Sendable {
    let document: BooksDocument
    let templates: Templates
    let assets: Assets
    let token = RequestRules.newToken()

    /// - Throws: when the resources are missing or broken.
    init(_ document: BooksDocument) throws {
        self.document = document
        let resources = Bundle.module.bundleURL.appendingPathComponent("Resources", isDirectory: true)
        templates = try Templates(folder: resources.appendingPathComponent("Templates", isDirectory: true))
        assets = try Assets(folder: resources.appendingPathComponent("Assets", isDirectory: true))
    }

    /// A page made from a template.
    func page(_ template: String, _ values: Any, status: HTTPResponse.Status = .ok) throws -> Response {
        let text = try templates.render(template, values)
        let headers: HTTPFields = [.contentType: "text/html; charset=utf-8", .cacheControl: "no-cache"]
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// The frame of a page.
    func frame(
        _ title: String, _ area: Frame.Area, _ address: PageAddress, events: PageAddress? = nil,
        _ context: BooksRequestContext, visitor: Visitor
    ) async throws -> Frame {
        Frame(
            title, area: area, address: address, events: events, site: self, visitor: visitor,
            unsaved: try await document.unsavedCounts(),
            revision: context.revision,
            notice: context.query["said"].flatMap(Notice.init(rawValue:))?.sentence)
    }

    /// Leads to a page after an action, with what it should say.
    func redirect(to address: String, _ notice: Notice) -> Response {
        let mark = address.contains("?") ? "&" : "?"
        return Response(status: .seeOther, headers: [.location: "\(address)\(mark)said=\(notice.rawValue)"])
    }

    /// The page that a form asks to come back to, if it is one of ours.
    func returnAddress(_ context: BooksRequestContext) -> String {
        guard let address = context.form["return"], address.first == "/", !address.hasPrefix("//"),
            address.utf8.count <= 4096,
            address.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return "/" }
        return address
    }
}
