import Hummingbird

/// What a local site knows of a request besides the request.
package struct LocalRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The largest body of a request that changes something. Models and values are smaller.
    package var maxUploadSize: Int { 4 << 20 }

    package init(source: Source) { coreContext = .init(source: source) }
}
