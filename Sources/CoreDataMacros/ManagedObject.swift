/// Registers what a class of managed objects declares, so that it is found by name and by key path.
///
/// ```swift
/// @ManagedObject final class Book: NSManagedObject {
///     @Managed var title: String?
///     @Managed(primitive: true) var primitivePublishDate: Date?
///
///     var publishMonth: String? { … }
///     class func keyPathsForValuesAffectingPublishMonth() -> Set<String> { ["publishDate"] }
///
///     func validateTitle(_ value: inout String?) throws { … }
/// }
/// ```
///
/// The macro finds, in the class's body,
///
/// - properties with ``Managed(_:primitive:)``: their key paths serve in sort descriptors, expressions and
///   observations, `NSSortDescriptor(keyPath: \Book.title, ascending: true)`;
/// - computed properties that are not private, overrides included: `value(forKey: "publishMonth")` calls the
///   accessor;
/// - `class` or `static` methods `keyPathsForValuesAffecting<Key>()`, and class properties of such names: observers
///   of the key are notified of changes of the keys that it returns;
/// - methods `validate<Key>(_ value: inout T?)`: they check a value when the object is saved, and may replace it.
///
/// A macro sees nothing of the class's extensions. `@Managed` works there as in the class, and its values are
/// reached by name; for their key paths, and for computed properties there, list the names here:
///
/// ```swift
/// @ManagedObject(stored: "note", custom: "summary") final class Book: NSManagedObject { … }
/// ```
///
/// Write the macro on each class of a hierarchy. A subclass has all that its superclass has.
///
/// - Parameters:
///   - stored: The names of `@Managed` properties in extensions.
///   - custom: The names of properties in extensions whose accessors are the class's own.
@attached(
    member, names: named(managedProperties), named(_properties(declaredBy:from:)),
    named(registeredDependencies), named(registeredValidators))
public macro ManagedObject(stored: String..., custom: String...) =
    #externalMacro(module: "CoreDataMacrosPlugin", type: "ManagedObjectMacro")
