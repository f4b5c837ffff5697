/// Who reads a store, and what of it.
///
/// A context finds both out before it asks, so that no store has to ask the context.
package struct StoreReader {
    /// The context that reads; nil for what reads without one.
    package var context: NSManagedObjectContext?
    /// The generation of the store that is read; nil for what the store holds now.
    package var generation: (any StoreGeneration)?

    package init(context: NSManagedObjectContext? = nil, generation: (any StoreGeneration)? = nil) {
        self.context = context
        self.generation = generation
    }
}
