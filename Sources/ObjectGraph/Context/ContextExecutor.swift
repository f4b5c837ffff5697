extension NSManagedObjectContext {
    /// Runs actors and tasks on the context's queue.
    ///
    /// An actor with this executor owns the context: its code uses the context and its objects without `perform(_:)`,
    /// and no other thread uses them meanwhile.
    ///
    /// ```swift
    /// actor Library {
    ///     nonisolated let context: NSManagedObjectContext
    ///     nonisolated var unownedExecutor: UnownedSerialExecutor { context.unownedExecutor }
    ///
    ///     init(_ container: NSPersistentContainer) { context = container.newBackgroundContext() }
    ///
    ///     func rename(_ id: NSManagedObjectID, to title: String) throws {
    ///         let book = try context.existingObject(with: id) as? Book
    ///         book?.title = title
    ///         try context.save()
    ///     }
    /// }
    /// ```
    ///
    /// What runs between two suspensions is an event, as a block of `perform(_:)` is: its changes are processed when it
    /// ends, and other blocks may run before the next one. So keep no half-made change over an `await`. Objects stay
    /// inside of the actor; hand out their IDs, or `ManagedObjectSnapshot`s.
    ///
    /// A task gets there without an actor by preferring the executor: what it runs that belongs to no actor runs on the
    /// queue.
    ///
    /// ```swift
    /// let count = try await Task(executorPreference: context.executor) {
    ///     try context.count(for: NSFetchRequest<Book>(entityName: "Book"))
    /// }.value
    /// ```
    ///
    /// `performAndWait(_:)` of this or another context inside of such code runs as it does in a block of `perform(_:)`.
    /// Code in `performAndWait(_:)` may call `assumeIsolated(_:)` of the actor.
    public final var executor: any SerialExecutor & TaskExecutor { contextQueue }

    /// What an actor that owns the context returns as its `unownedExecutor`; see `executor`.
    ///
    /// The actor has to keep the context.
    public final var unownedExecutor: UnownedSerialExecutor { contextQueue.asUnownedSerialExecutor() }
}
