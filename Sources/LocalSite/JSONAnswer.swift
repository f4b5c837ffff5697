import Foundation
import Hummingbird
import NIOCore

extension Response {
    /// An answer in JSON, which no one may keep.
    ///
    /// - Throws: what the encoder throws.
    package init(json value: some Encodable, status: HTTPResponse.Status = .ok) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(value)
        self.init(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: data)))
    }
}

extension Request {
    /// The body as JSON.
    ///
    /// - Throws: `SiteError` for a body that is not JSON or larger than the context allows, `DecodingError`.
    package func json<Value: Decodable>(
        _ type: Value.Type, _ context: LocalRequestContext
    ) async throws -> Value {
        guard headers[.contentType]?.lowercased().hasPrefix("application/json") ?? false else {
            throw SiteError(.unsupportedMediaType, code: "type", "The request must be JSON.")
        }
        return try JSONDecoder().decode(type, from: try await data(atMost: context.maxUploadSize))
    }

    /// The body as bytes, such as those of a file.
    ///
    /// - Throws: `SiteError` for a body that is larger than it may be.
    package func data(atMost most: Int) async throws -> Data {
        do {
            return Data((try await body.collect(upTo: most)).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw SiteError(
                .contentTooLarge, code: "size",
                "This is more than the \(most >> 20) MB that a request may hold.")
        }
    }
}
