import Synchronization

/// Classes that tell the key of each of their Swift key paths.
///
/// A Swift key path carries no name on Linux. Generated classes list theirs here, so that
/// `NSSortDescriptor(keyPath: \Book.title, ascending: true)` and `NSExpression(forKeyPath: \Book.title)`
/// find the key `title`. The list is read once per class, when one of its key paths is first asked for.
public protocol KeyPathNaming: AnyObject {
    /// The key of each key path of this class, those of its superclass not included.
    static var keyPathNames: [(key: String, keyPath: AnyKeyPath)] { get }
}

/// The keys of Swift key paths.
public enum KeyPathNames {
    /// Records that `keyPath` is the property named `key`.
    public static func register(_ key: String, for keyPath: AnyKeyPath) {
        fatalError("not yet written")
    }

    /// The key, or the dotted key path, that `keyPath` stands for; `nil` when nobody registered it.
    public static func name(of keyPath: AnyKeyPath) -> String? {
        fatalError("not yet written")
    }
}
