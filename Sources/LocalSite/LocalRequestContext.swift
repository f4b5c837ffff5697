import Hummingbird
import NIOCore

/// What a local site knows of a request besides the request.
package struct LocalRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The largest body of a request that changes something. Models and values are smaller.
    package var maxUploadSize: Int { 4 << 20 }

    /// The connection that the request came by.
    let channel: any Channel

    package init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
