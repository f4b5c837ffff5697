import CoreData
import Hummingbird
import LocalSite
import NIOCore
import StoreTools

/// What hands out whole values, and files.
struct DataRoutes: Sendable {
    private static let longestText = 8 << 20
    private static let longestImage = 64 << 20
    private let store: BrowsedStore

    init(_ store: BrowsedStore) { self.store = store }

    private struct Text: Encodable, Sendable {
        let text: String
        let isCut: Bool
    }

    /// That nothing is in the way.
    private struct Allowed: Encodable {}

    func add(to router: Router<LocalRequestContext>) {
        router.get("api/text") { request, _ in
            let (reference, key) = (try request.reference("id"), request.text("key") ?? "")
            return try await answer {
                let context = store.objects
                return try await store.precedence.ahead {
                    try await context.perform {
                        let (object, attribute) = try store.attribute(key, of: reference, in: context)
                        let value = ShownValue(
                            object.primitiveValue(forKey: key), attribute.attributeType, Self.longestText)
                        return Text(text: value.text, isCut: value.isCut)
                    }
                }
            }
        }
        router.get("api/image") { request, _ in
            let (reference, key) = (try request.reference("id"), request.text("key") ?? "")
            return try await refusing {
                let data = try await store.precedence.ahead {
                    try await self.data(reference, key, atMost: Self.longestImage)
                }
                guard let type = ShownBytes.imageType(data) else {
                    throw BrowsingError("This is not a picture of a kind that can be shown.", code: "missing")
                }
                return Response(
                    status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
                    body: .init(byteBuffer: ByteBuffer(bytes: data)))
            }
        }
        router.get("api/bytes") { request, _ in
            let (reference, key) = (try request.reference("id"), request.text("key") ?? "")
            return try await refusing {
                let bytes = try await StoredFile(reference, key, of: store)
                return Response(
                    status: .ok, headers: Self.download("data.bin", "application/octet-stream"),
                    body: bytes.body)
            }
        }
        // A page calls this before a download, which would fail without a word.
        router.get("api/export/check") { request, _ in
            let (query, order, format) = try Self.export(request)
            return try await answer {
                var export = try PageExport(query, order, as: format, of: store)
                _ = try await export.next()
                return Allowed()
            }
        }
        router.get("api/export") { request, _ in
            let (query, order, format) = try Self.export(request)
            let name = request.text("name")
            store.exports.note(name) { $0 = ExportLog.Entry() }
            do {
                return try await refusing {
                    var export = try PageExport(query, order, as: format, of: store)
                    // A problem of the query is reported before anything is sent.
                    let first = try await export.next()
                    let type = format == .csv ? "text/csv" : "application/json"
                    return Response(
                        status: .ok,
                        headers: Self.download(Self.fileName(query, format), "\(type); charset=utf-8"),
                        body: body(export, first, name))
                }
            } catch {
                end(name, Self.reason(of: error))
                throw error
            }
        }
        // How a download goes that the page has given a name.
        router.get("api/export/state") { request, _ in
            try Response(json: store.exports[request.text("name") ?? ""])
        }
    }

    private func end(_ name: String?, _ problem: String? = nil) {
        store.exports.note(name) { ($0.hasEnded, $0.problem) = (true, problem) }
    }

    /// Why a download does not come to its end.
    private static func reason(of error: any Error) -> String {
        switch error {
        case let error as SiteError: error.message
        case let error as BrowsingError: error.detail
        case let error as NSError where error.domain == NSCocoaErrorDomain: error.localizedDescription
        // The client has gone.
        default: "The download was stopped before everything was sent."
        }
    }

    /// What is to be exported.
    private static func export(
        _ request: Request
    ) throws -> (ObjectQuery, ObjectPage.Order, PageExport.Format) {
        // A whole table must not be read for its length.
        guard request.method == .get else {
            throw SiteError(.methodNotAllowed, code: "method", "An export must be requested with GET.")
        }
        guard let format = PageExport.Format(rawValue: request.text("format") ?? "") else {
            throw SiteError(.badRequest, code: "request", "A table can be exported as csv or json.")
        }
        return (try request.query(), request.order(), format)
    }

    /// All bytes of a value.
    private func data(
        _ reference: ObjectReference, _ key: String, atMost most: Int
    ) async throws -> Data {
        let context = store.objects
        return try await context.perform {
            let (object, attribute) = try store.attribute(key, of: reference, in: context)
            guard let stored = try store.storedData(object, attribute, atMost: most) else {
                throw BrowsingError("\(reference) has no data for '\(key)'.", code: "missing")
            }
            guard stored.isWhole else {
                throw BrowsingError(
                    "\(stored.length) bytes are too many to be shown; they can be downloaded.")
            }
            return stored.start
        }
    }

    private static func download(_ name: String, _ type: String) -> HTTPFields {
        [
            .contentType: type, .cacheControl: "no-store",
            .contentDisposition: "attachment; filename=\"\(name)\"",
        ]
    }

    /// A name with letters, digits and dashes only: names of entities may hold what headers cannot.
    private static func fileName(_ query: ObjectQuery, _ format: PageExport.Format) -> String {
        let letters = query.entity.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        return "\(String(letters.prefix(100))).\(format.rawValue)"
    }

    /// Sends part after part; when the client has gone, sending fails and the export ends.
    private func body(_ export: PageExport, _ first: String?, _ name: String?) -> ResponseBody {
        ResponseBody { writer in
            var (export, part) = (export, first)
            do {
                while let text = part {
                    try await writer.write(ByteBuffer(string: text))
                    try Task.checkCancellation()
                    part = try await export.next()
                    let statements = export.statements
                    store.exports.note(name) { $0.statements = statements }
                }
                try await writer.finish(nil)
                end(name)
            } catch {
                end(name, Self.reason(of: error))
                throw error
            }
        }
    }
}
