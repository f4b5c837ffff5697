/// Writes the body of a method that changes a to-many relationship.
///
/// ```swift
/// extension Book {
///     @ManagedAccessor func addToPages(_ value: Page)
///     @ManagedAccessor func addToPages(_ values: NSSet)
///     @ManagedAccessor func removeFromPages(_ value: Page)
///     @ManagedAccessor func removeFromPages(_ values: Set<Page>)
/// }
/// ```
///
/// For ordered relationships there are also
///
/// ```swift
/// @ManagedAccessor func insertIntoPages(_ value: Page, at idx: Int)
/// @ManagedAccessor func insertIntoPages(_ values: [Page], at indexes: NSIndexSet)
/// @ManagedAccessor func removeFromPages(at idx: Int)
/// @ManagedAccessor func removeFromPages(at indexes: IndexSet)
/// @ManagedAccessor func replacePages(at idx: Int, with value: Page)
/// @ManagedAccessor func replacePages(at indexes: IndexSet, with values: [Page])
/// ```
///
/// The name and the labels say what the method does, and the relationship: `addToPages` changes `pages`. Several
/// objects may come as `NSSet`, `NSOrderedSet`, `NSArray`, or as any Swift collection of objects; several indexes as
/// `NSIndexSet` or `IndexSet`. Inverse relationships are updated, and observers are notified.
///
/// - Parameter key: The relationship's name in the model, where it does not follow from the method's, as for one that
///   begins with a capital letter.
@attached(body)
public macro ManagedAccessor(_ key: String? = nil) =
    #externalMacro(module: "CoreDataMacrosPlugin", type: "ManagedAccessorMacro")
