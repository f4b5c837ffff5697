import Foundation
import Hummingbird
import Logging

/// The web application.
enum BooksApplication {
    /// The routes and the rules that every request must meet.
    static func router(_ site: Site, hosts: AllowedHosts) -> Router<BooksRequestContext> {
        let router = Router(context: BooksRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: SecurityHeaders())
        router.add(middleware: ErrorPages(site: site))
        router.add(middleware: RequestRules(hosts: hosts, token: site.token, news: site.document.news))
        BookRoutes(site).add(to: router)
        AuthorRoutes(site).add(to: router)
        DocumentRoutes(site).add(to: router)
        EventRoutes(site.document).add(to: router)
        return router
    }

    /// A server on this computer's own address.
    ///
    /// - Parameter running: called with the port once requests are answered.
    static func server(
        _ site: Site, port: Int, running: @escaping @Sendable (Int) -> Void
    ) -> some ApplicationProtocol {
        let hosts = AllowedHosts()
        var logger = Logger(label: "books")
        logger.logLevel = .warning
        return Application(
            router: router(site, hosts: hosts),
            server: .http1(
                configuration: .init(
                    idleTimeout: .seconds(60),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
                )),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: port), reuseAddress: true,
                availableConnectionsDelegate: .maximum(256, logger: logger)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? port
                hosts.allow(port: port)
                running(port)
            },
            logger: logger)
    }
}
