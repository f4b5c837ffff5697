import Synchronization

/// Classes that list the key of each of their Swift key paths.
///
/// A Swift key path carries no name on Linux. Generated classes list theirs here, so that `NSSortDescriptor(keyPath: \Book.title,
/// ascending: true)` and `NSExpression(forKeyPath: \Book.title)` find the key `title`. Another class can do the same:
///
/// ```swift
/// extension Song: KeyPathNaming {
///     static var keyPathNames: [(key: String, keyPath: AnyKeyPath)] { [("title", \Song.title), ("length", \Song.length)] }
/// }
/// ```
///
/// The list is read once per class, when one of its key paths is first looked up.
public protocol KeyPathNaming: AnyObject {
    /// The key of each key path of this class.
    ///
    /// `\Novel.title` and `\Book.title` are different key paths even where `Novel` inherits `title` from
    /// `Book`: a subclass lists what it inherits too, to be found through its own name.
    static var keyPathNames: [(key: String, keyPath: AnyKeyPath)] { get }
}

/// The table of the keys of Swift key paths, for the whole process.
///
/// A Swift key path carries no name on Linux. `NSSortDescriptor(keyPath:ascending:)`, `NSExpression(forKeyPath:)` and `#Predicate` look
/// its key up here. Properties of generated classes and of `@ManagedObject` classes are in the table already; register those of other
/// classes before their key paths are used:
///
/// ```swift
/// KeyPathNames.register("title", for: \Song.title)
/// KeyPathNames.name(of: \Song.title)    // "title"
/// ```
///
/// Keys come from ``register(_:for:)`` and from the lists of ``KeyPathNaming`` classes. A key path over several properties, such as
/// `\Book.publisher.name` or `\Book.author?.name`, has the keys of its properties, joined by dots; it is found when each of them is. A
/// property of a subclass is another key path than that of its superclass. May be used on any thread.
public enum KeyPathNames {
    /// Records that `keyPath` is the property named `key`.
    public static func register(_ key: String, for keyPath: AnyKeyPath) {
        table.withLock { $0.add(key, for: SharedKeyPath(keyPath)) }
    }

    /// The key, or the dotted key path, that `keyPath` stands for; "self" for `\Book.self`; `nil` when it is not registered.
    public static func name(of keyPath: AnyKeyPath) -> String? {
        let keyPath = SharedKeyPath(keyPath)
        if let name = table.withLock({ $0.names[keyPath] }) { return name }
        if keyPath.root == keyPath.value, keyPath.keyPath == identity(keyPath.root) { return "self" }
        readNames(of: keyPath.root)
        if let name = table.withLock({ $0.names[keyPath] }) { return name }
        let resolvers = table.withLock { $0.resolvers }
        let resolved = resolvers.lazy.compactMap { $0(keyPath.keyPath) }.first
        guard let name = resolved ?? composedName(of: keyPath) else { return nil }
        table.withLock { $0.names[keyPath] = name }
        return name
    }

    private static func identity<Root>(_ root: Root.Type) -> AnyKeyPath { \Root.self }

    /// Finds the key of a key path that is not registered, or answers `nil`.
    package typealias Resolver = @Sendable (AnyKeyPath) -> String?

    /// Adds a way to find the keys of key paths that are not registered; it is called once for each that it
    /// finds.
    package static func addResolver(_ resolver: @escaping Resolver) {
        table.withLock { $0.resolvers.append(resolver) }
    }

    /// The key path of a class, or of one of its superclasses, that is registered under a key.
    static func keyPath(named key: String, of type: AnyClass) -> AnyKeyPath? {
        readNames(of: type)
        var ancestor: AnyClass? = type
        while let current = ancestor {
            let found = table.withLock { $0.keyPaths[ObjectIdentifier(current)]?[key] }
            if let found { return found.keyPath }
            ancestor = superclass(of: current)
        }
        return nil
    }

    /// A key path does not change, and the table holds only those of properties, without captured subscripts.
    private struct SharedKeyPath: @unchecked Sendable, Hashable {
        let keyPath: AnyKeyPath

        init(_ keyPath: AnyKeyPath) { self.keyPath = keyPath }

        var root: any Any.Type { type(of: keyPath).rootType }
        var value: any Any.Type { type(of: keyPath).valueType }
    }

    private struct Table: Sendable {
        var names: [SharedKeyPath: String] = [:]
        var keyPaths: [ObjectIdentifier: [String: SharedKeyPath]] = [:]
        var readTypes: Set<ObjectIdentifier> = []
        var resolvers: [Resolver] = []

        mutating func add(_ key: String, for keyPath: SharedKeyPath) {
            names[keyPath] = key
            keyPaths[ObjectIdentifier(keyPath.root), default: [:]][key] = keyPath
        }
    }

    private static let table = Mutex(Table())

    /// Reads the list of a class and those of its superclasses, once.
    private static func readNames(of type: any Any.Type) {
        var ancestor: AnyClass? = type as? AnyClass
        while let current = ancestor {
            let identifier = ObjectIdentifier(current)
            let isNew = table.withLock { !$0.readTypes.contains(identifier) }
            // The list is read without the lock, because a class's list may itself look up names.
            if isNew {
                let listed = (current as? any KeyPathNaming.Type)?.keyPathNames ?? []
                let names = listed.map { (key: $0.key, keyPath: SharedKeyPath($0.keyPath)) }
                table.withLock { table in
                    table.readTypes.insert(identifier)
                    for name in names where table.names[name.keyPath] == nil {
                        table.add(name.key, for: name.keyPath)
                    }
                }
            }
            ancestor = superclass(of: current)
        }
    }

    private static func superclass(of type: any Any.Type) -> AnyClass? {
        (type as? NSObject.Type)?.superclass
    }

    /// The dotted name of a key path over several registered properties, of which some may be optional.
    private static func composedName(of keyPath: SharedKeyPath) -> String? {
        guard let properties = KeyPathProperties(keyPath.keyPath)?.properties, properties.count > 1 else {
            return nil
        }
        var keys: [String] = []
        var type = keyPath.root
        for property in properties {
            readNames(of: type)
            let found = registered(from: type).first {
                KeyPathProperties($0.keyPath.keyPath)?.properties == [property]
            }
            guard let found else { return nil }
            keys.append(found.key)
            type = (found.keyPath.value as? any OptionalValue.Type)?.wrappedType ?? found.keyPath.value
        }
        return keys.joined(separator: ".")
    }

    /// The registered key paths of a type and of its superclasses.
    private static func registered(from type: any Any.Type) -> [(key: String, keyPath: SharedKeyPath)] {
        var found: [(key: String, keyPath: SharedKeyPath)] = []
        var ancestor: (any Any.Type)? = type
        while let current = ancestor {
            let keyPaths = table.withLock { $0.keyPaths[ObjectIdentifier(current)] } ?? [:]
            found += keyPaths.map { (key: $0.key, keyPath: $0.value) }
            ancestor = superclass(of: current)
        }
        return found
    }
}
