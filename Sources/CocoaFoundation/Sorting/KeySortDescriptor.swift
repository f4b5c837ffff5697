/// A sort descriptor made with a key, or with a Swift key path of an object.
///
/// Foundation on Linux makes sort descriptors with key paths to `Comparable` values only, which `String?` is not, and does
/// not report whether the order is the natural one or that of a closure.
final class KeySortDescriptor: NSSortDescriptor {
    /// How the values are compared.
    enum Order {
        case method(StringOrder)
        case comparator(Comparator)
    }

    /// Where the values are.
    enum Subject: Hashable {
        case object
        case key(String, KeyPathSteps)
        case keyPath(AnyKeyPath)
    }

    let subject: Subject
    let order: Order
    /// Whether values are compared as a store keeps them.
    private let isOfStore: Bool

    init(_ subject: Subject, ascending: Bool, order: Order, isOfStore: Bool = false) {
        self.subject = subject
        self.order = order
        self.isOfStore = isOfStore
        super.init(keyPath: Self.unusedKeyPath, ascending: ascending) { _, _ in .orderedSame }
    }

    /// The superclass requires a key path; it is never read.
    private static var unusedKeyPath: KeyPath<Int, Int> { \Int.self }

    convenience init(key: String?, ascending: Bool, order: Order) {
        let subject = key.map { Subject.key($0, KeyPathSteps($0)) } ?? .object
        self.init(subject, ascending: ascending, order: order)
    }

    /// The key path of the values; `nil` for the objects themselves, or when it has no name.
    var keyPathString: String? {
        switch subject {
        case .object: nil
        case .key(let key, _): key
        case .keyPath(let keyPath): KeyPathNames.name(of: keyPath)
        }
    }

    override var keyPath: AnyKeyPath {
        if case .keyPath(let keyPath) = subject { keyPath } else { super.keyPath }
    }

    /// The value of an object that is compared.
    ///
    /// - Precondition: the object has the key.
    func value(of object: Any) -> Any? {
        isOfStore ? StoredValue.kept(plainValue(of: object)) : plainValue(of: object)
    }

    private func plainValue(of object: Any) -> Any? {
        switch subject {
        case .object:
            return object
        case .keyPath(let keyPath):
            return object[keyPath: keyPath]
        case .key(let key, let steps):
            do {
                return isOfStore ? try JoinedKeyPath(steps).value(of: object) : try steps.value(of: object)
            } catch {
                fatalError("Sorting by \"\(key)\": \(error)")
            }
        }
    }

    /// Which of two values comes first when the order is ascending.
    func orderOfValues(_ lhs: Any?, _ rhs: Any?) -> ComparisonResult {
        switch order {
        case .method(let method): method.order(PredicateValue(lhs), PredicateValue(rhs))
        case .comparator(let comparator): comparator(lhs ?? NSNull(), rhs ?? NSNull())
        }
    }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        let result = orderOfValues(value(of: object1), value(of: object2))
        return ascending ? result : result.reversed
    }

    override var comparator: Comparator { orderOfValues }

    override var reversedSortDescriptor: Any {
        KeySortDescriptor(subject, ascending: !ascending, order: order, isOfStore: isOfStore)
    }

    /// The same order of values as a store keeps them.
    fileprivate var withStoredValues: KeySortDescriptor {
        KeySortDescriptor(subject, ascending: ascending, order: order, isOfStore: true)
    }

    override func copy() -> Any { self }
    override func copy(with zone: NSZone? = nil) -> Any { self }

    /// Descriptors with closures are equal only to themselves.
    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeySortDescriptor else { return false }
        if self === other { return true }
        guard case .method(let method) = order, case .method(let otherMethod) = other.order else {
            return false
        }
        return subject == other.subject && ascending == other.ascending && method == otherMethod
    }

    override var hash: Int {
        var hasher = Hasher()
        hasher.combine(subject)
        hasher.combine(ascending)
        return hasher.finalize()
    }

    override var description: String {
        let method =
            switch order {
            case .method(let method): method.rawValue
            case .comparator: "comparator"
            }
        return "(\(keyPathString ?? "self"), \(ascending ? "ascending" : "descending"), \(method))"
    }

    // MARK: Coding

    init?(coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return nil }
        let key = coder.decodeObject(of: NSString.self, forKey: "NSKey").map(String.init(describing:))
        let selector = coder.decodeObject(of: NSString.self, forKey: "NSSelector").map(
            String.init(describing:))
        guard let method = StringOrder(rawValue: selector ?? StringOrder.compare.rawValue) else { return nil }
        subject = key.map { .key($0, KeyPathSteps($0)) } ?? .object
        isOfStore = false
        order = .method(method)
        super.init(keyPath: Self.unusedKeyPath, ascending: coder.decodeBool(forKey: "NSAscending")) { _, _ in
            .orderedSame
        }
    }

    /// - Precondition: the descriptor has no closure, its key path has a name, and `coder` is a keyed archiver.
    func write(to coder: NSCoder) {
        require(coder.allowsKeyedCoding, "Sort descriptors are archived with keyed archivers only")
        guard case .method(let method) = order else {
            fatalError("A sort descriptor with a closure cannot be archived")
        }
        if case .keyPath(let keyPath) = subject, keyPathString == nil {
            fatalError(
                "No key is registered for \(keyPath), so that its sort descriptor has no name")
        }
        coder.encode(keyPathString as NSString?, forKey: "NSKey")
        coder.encode(ascending, forKey: "NSAscending")
        coder.encode(method.rawValue as NSString, forKey: "NSSelector")
    }
}

extension NSSortDescriptor {
    /// The same order by the name of the property, where a Swift key path has one: a store keeps values by their names.
    package var named: NSSortDescriptor {
        let order: KeySortDescriptor.Order
        switch (self as? KeySortDescriptor)?.subject {
        case .keyPath?: order = (self as? KeySortDescriptor)?.order ?? .method(.compare)
        case nil where isOfFoundation: order = .method(.compare)
        default: return self
        }
        return key.map { KeySortDescriptor(key: $0, ascending: ascending, order: order) } ?? self
    }

    /// Whether the descriptor can only compare objects of a client's class, since it names no property.
    package var isUnnamed: Bool {
        guard let descriptor = self as? KeySortDescriptor else { return true }
        if case .keyPath = descriptor.subject { return descriptor.keyPathString == nil }
        return false
    }

    /// The order that a store gives to values before they are saved: strings are in the order of their code points, decimal
    /// numbers have the digits that it keeps. A client's own subclass stays as it is.
    package var ofStore: NSSortDescriptor {
        if let descriptor = self as? KeySortDescriptor { return descriptor.withStoredValues }
        guard isOfFoundation else { return self }
        return KeySortDescriptor(
            .keyPath(keyPath), ascending: ascending, order: .method(.compare), isOfStore: true)
    }
}
