import Foundation

/// A connection to a local site that sends given bytes at given times.
final class SlowClient: @unchecked Sendable {
    // Used by one task at a time.
    private let descriptor: Int32

    struct Failure: Error {
        let code: Int32
    }

    /// - Parameter port: a port of `localhost`, at the first address that this name has: there the server of a test is.
    init(port: Int) throws {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo("localhost", "\(port)", &hints, &found)
        defer { freeaddrinfo(found) }
        guard code == 0, let address = found?.pointee else { throw Failure(code: code) }
        descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
            let code = errno
            close(descriptor)
            throw Failure(code: code)
        }
    }

    deinit { close(descriptor) }

    /// Ends the connection, of which a task may be waiting for more.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends a text.
    ///
    /// - Returns: whether the server still takes something.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        #if canImport(Glibc)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        #else
        return Darwin.send(descriptor, bytes, bytes.count, 0) == bytes.count
        #endif
    }

    /// What comes next; empty when the server has ended the connection. Waits until one of both happens.
    func receive() async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [descriptor] in
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = recv(descriptor, &buffer, buffer.count, 0)
                continuation.resume(returning: String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self))
            }
        }
    }

    /// All until the server ends the connection.
    func receiveAll() async -> String {
        var all = ""
        while true {
            let part = await receive()
            if part.isEmpty { return all }
            all += part
        }
    }
}
