/// What a type and its extensions say together.
final class TypeSummary {
    /// The class that a class inherits from, where the module declares it.
    let superclass: TypeDeclaration?
    /// The properties by their names.
    let properties: [String: PropertyDeclaration]
    /// The keys of the properties, and those from the model.
    let keys: Set<String>
    /// The methods by their names.
    let methods: [String: [MethodDeclaration]]
    let hasManagedMembers: Bool
    let observesByMethod: Bool
    let propertyCount: Int
    /// Whether objects of the class are managed; nil until it was computed.
    var isManaged: Bool?

    init(_ parts: [TypeDeclaration], superclass: TypeDeclaration?, modelKeys: Set<String>) {
        self.superclass = superclass
        let all = parts.flatMap(\.properties)
        properties = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
        keys = modelKeys.union(all.map(\.key))
        methods = Dictionary(grouping: parts.flatMap(\.methods), by: \.name)
        hasManagedMembers = parts.contains(where: \.hasManagedMembers)
        observesByMethod = parts.contains(where: \.observesByMethod)
        propertyCount = all.count
    }
}

/// The keys that a class and its ancestors have, each one's by themselves: a union of them all for each class would take
/// the square of the classes.
struct KnownKeys {
    private let sets: [Set<String>]

    init(_ sets: [Set<String>]) { self.sets = sets.filter { !$0.isEmpty } }

    /// How many sets there are to look into.
    var count: Int { sets.count }

    func contains(_ key: String) -> Bool { sets.contains { $0.contains(key) } }
}
