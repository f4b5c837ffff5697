import Foundation
import Hummingbird

/// The stylesheet, the script and the icon, read once.
struct Assets: Sendable {
    private struct Asset: Sendable {
        let body: ByteBuffer
        let type: String
        let tag: String
    }

    private static let types = ["css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"]
    private let assets: [String: Asset]

    /// - Throws: when the folder cannot be read.
    init(folder: URL) throws {
        var assets: [String: Asset] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            guard let type = Self.types[file.pathExtension] else { continue }
            let data = try Data(contentsOf: file)
            // FNV-1a: enough to distinguish one version of a file from another.
            var hash: UInt64 = 14_695_981_039_346_656_037
            for byte in data { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
            assets[file.lastPathComponent] = Asset(
                body: ByteBuffer(bytes: data), type: "\(type); charset=utf-8",
                tag: "\"\(String(hash, radix: 36))\"")
        }
        self.assets = assets
    }

    /// The answer to a request for a file.
    func response(_ name: String, _ request: Request) throws -> Response {
        guard let asset = assets[name] else { throw HTTPError(.notFound) }
        var headers: HTTPFields = [.contentType: asset.type, .eTag: asset.tag, .cacheControl: "no-cache"]
        guard request.headers[.ifNoneMatch] != asset.tag else {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentLength] = "\(asset.body.readableBytes)"
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: asset.body))
    }
}
