import Foundation

// What the macros' expansions and generated classes call. They reach it as members of the class they are written in,
// so that no type of the same name in a client's module shadows them.
extension NSManagedObject {
    /// For expansions of the macros and generated classes.
    public typealias _ManagedKey<Value> = ManagedKey<Value>
    /// For expansions of the macros and generated classes.
    public typealias _ManagedProperty = ManagedProperty
    /// For expansions of the macros and generated classes.
    public typealias _ManagedDependencies = [String: Set<String>]
    /// For expansions of the macros and generated classes.
    public typealias _ManagedValidators = [String: ManagedValidator]
    /// For expansions of the macros and generated classes.
    public typealias _ToManyRelationship = ToManyRelationship

    /// For expansions of the macros and generated classes: the properties that a class lists, with key paths from a subclass.
    ///
    /// Classes with `@ManagedObject` have a function of their own, which is taken where one is known; a class
    /// without the macro lists nothing.
    public static func _properties<Object: NSManagedObject>(
        declaredBy: NSManagedObject.Type, from: Object.Type
    ) -> [ManagedProperty] { [] }
}
