/// Objects that say what they are by a name: `CAST(object, "Novel")` is the object where it is a novel, and nil elsewhere.
///
/// Managed objects answer with their entity and those that it inherits from. Of other objects the name is that of the
/// class with its module, as `NSStringFromClass` has it.
package protocol KindOfObject {
    /// The name of the kind of which the objects of this class are; nil when it is unknown.
    static var kindName: String? { get }

    /// Whether the object is of a kind, or of one that inherits from it.
    ///
    /// - Throws: ``PredicateEvaluationError`` when there is no such kind.
    func isOfKind(named name: String) throws -> Bool
}

/// The name by which `CAST` knows the objects of a class; nil when it is unknown.
func kindName(of type: NSObject.Type) -> String? {
    if let kind = type as? any KindOfObject.Type { return kind.kindName }
    return NSStringFromClass(type)
}
