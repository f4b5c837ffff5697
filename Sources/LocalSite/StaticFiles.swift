import Hummingbird

/// The files of a site, which are part of the program.
package struct StaticFiles: Sendable {
    private struct File: Sendable {
        let body: ByteBuffer
        let type: String
        let tag: String
    }

    private static let types = [
        "html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml",
    ]
    private var files: [String: File] = [:]

    /// The files that all local sites share: `site.css`, `dom.js`, `api.js`, `icon.svg`.
    package static let shared = StaticFiles([
        "site.css": PackageResources.site_css, "dom.js": PackageResources.dom_js,
        "api.js": PackageResources.api_js, "icon.svg": PackageResources.icon_svg,
    ])

    /// - Parameter files: the bytes by name. The extension gives the type, which has to be HTML, CSS, JavaScript or
    ///   SVG.
    package init(_ files: [String: [UInt8]]) {
        for (name, bytes) in files {
            guard let type = Self.types[String(name.split(separator: ".").last ?? "")] else {
                preconditionFailure("'\(name)' is not a file of a page")
            }
            // FNV-1a: enough to distinguish versions of a file.
            var hash: UInt64 = 14_695_981_039_346_656_037
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
            self.files[name] = File(
                body: ByteBuffer(bytes: bytes), type: "\(type); charset=utf-8",
                tag: "\"\(String(hash, radix: 36))\"")
        }
    }

    /// These files and others. Of two of a name the other counts.
    package func adding(_ other: StaticFiles) -> StaticFiles {
        var all = self
        all.files.merge(other.files) { _, second in second }
        return all
    }

    /// The answer to a request for a file.
    func response(_ name: String, _ request: Request) throws -> Response {
        guard let file = files[name] else { throw HTTPError(.notFound) }
        var headers: HTTPFields = [.contentType: file.type, .eTag: file.tag, .cacheControl: "no-cache"]
        guard request.headers[.ifNoneMatch] != file.tag else {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentLength] = "\(file.body.readableBytes)"
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: file.body))
    }
}
