/// The context and the generation of a read of a store.
///
/// A context passes both with a request, so that stores do not call the context.
package struct StoreReader {
    /// The context that reads; nil for a read without one.
    package var context: NSManagedObjectContext?
    /// The generation of the store that is read; nil for what the store holds now.
    package var generation: (any StoreGeneration)?

    package init(context: NSManagedObjectContext? = nil, generation: (any StoreGeneration)? = nil) {
        self.context = context
        self.generation = generation
    }
}
