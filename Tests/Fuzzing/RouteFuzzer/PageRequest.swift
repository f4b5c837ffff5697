import Foundation
import HTTPTypes

/// A request of a page, in a line of text: `GET /api/rows?entity=Book`, `POST /api/add {"entity":"Book"}`.
struct PageRequest: Sendable {
    let method: HTTPRequest.Method
    let path: String
    let body: String

    private static let mostRequests = 8

    /// The requests of an input, in turn.
    static func list(_ data: Data) -> [PageRequest] {
        guard let text = String(validating: data, as: UTF8.self) else { return [] }
        return text.split(separator: "\n").prefix(mostRequests).compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count > 1, parts[1].hasPrefix("/"), let method = methods[String(parts[0])] else {
                return nil
            }
            return PageRequest(
                method: method, path: String(parts[1]), body: parts.count > 2 ? String(parts[2]) : "")
        }
    }

    private static let methods: [String: HTTPRequest.Method] = [
        "GET": .get, "POST": .post, "HEAD": .head, "PUT": .put, "FILE": .post,
    ]
}
