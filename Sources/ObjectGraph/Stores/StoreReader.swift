/// Reads a store, and saves to it: a context. What a store needs to know comes with each request; only a subclass of
/// `NSIncrementalStore`, by its interface, receives the context itself.
package protocol StoreClient: AnyObject, Sendable {}

/// The client and the generation of a read of a store.
///
/// A context passes both with a request, so that stores do not call the context.
package struct StoreReader {
    /// The context that reads; nil for a read without one.
    package var client: (any StoreClient)?
    /// The generation of the store that is read; nil for what the store holds now.
    package var generation: (any StoreGeneration)?

    package init(client: (any StoreClient)? = nil, generation: (any StoreGeneration)? = nil) {
        self.client = client
        self.generation = generation
    }
}
