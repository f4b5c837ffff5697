import Foundation
import Hummingbird
import Logging
import NIOCore

extension LocalSite {
    /// Answers requests on the loopback address until the program gets a signal to end.
    ///
    /// - Parameters:
    ///   - port: the port; 0 for any that is free.
    ///   - running: called once requests are answered, with the address that lets in for as long as the site is served,
    ///     and one that does so once, for a program that opens it.
    /// - Throws: ``PortInUse`` when another program has the port, and what else keeps a server from starting.
    package func serve(
        port: Int, running: @escaping @Sendable (_ address: String, _ single: String) -> Void
    ) async throws {
        let server = application(port: port, running: running)
        do {
            try await server.runService()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw PortInUse(port: port)
        }
    }

    /// The server, not yet running.
    func application(
        port: Int, running: @escaping @Sendable (_ address: String, _ single: String) -> Void
    ) -> some ApplicationProtocol {
        let hosts = AllowedHosts()
        var logger = Logger(label: "coredata.site")
        logger.logLevel = .error
        let (access, connections) = (access, connections)
        return Application(
            router: router(hosts: hosts),
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [ConnectionTimeouts(connections)],
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
                )),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: port), reuseAddress: true,
                // Those that are being closed count too.
                availableConnectionsDelegate: .maximum(2 * connections.limits.count, logger: logger)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? port
                hosts.allow(port: port)
                let origin = "http://127.0.0.1:\(port)"
                running(origin + access.entrance, origin + access.makeSingleEntrance())
            },
            logger: logger)
    }

    /// Another program has the port.
    package struct PortInUse: Error, LocalizedError {
        package let port: Int
        package var errorDescription: String? {
            "Port \(port) is taken by another program. Choose another one with --port, or 0 for any."
        }
    }
}
