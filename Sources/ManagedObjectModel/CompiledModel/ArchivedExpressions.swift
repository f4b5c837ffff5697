import CocoaFoundation

/// The predicates and expressions of a model's archive.
///
/// Their depth and the number of their parts are bounded, each part counted as often as it is reached: code that walks
/// through a predicate later does not know that parts are shared.
final class ArchivedExpressions {
    private let archive: ModelArchive
    private var known: [Int: (part: Any, weight: Int, height: Int)] = [:]
    private var open: Set<Int> = []
    private var totalWeight = 0

    private enum Limit {
        static let depth = 128
        static let parts = 100_000
    }

    init(_ archive: ModelArchive) { self.archive = archive }

    /// The predicate in a field; `nil` if it is missing or null.
    func predicate(_ key: String, of object: ArchivedObject) throws -> NSPredicate? {
        try part(key, of: object, "a predicate")
    }

    /// The expression in a field; `nil` if it is missing or null.
    func expression(_ key: String, of object: ArchivedObject) throws -> NSExpression? {
        try part(key, of: object, "an expression")
    }

    /// The predicates in a list; none if it is missing or null.
    func predicates(_ key: String, of object: ArchivedObject) throws -> [NSPredicate] {
        try (object.elements(key) ?? []).map { index in
            guard let predicate = try object.named({ try outermost(index) }) as? NSPredicate else {
                throw object.error(.invalidValue, "an element of '\(key)' is not a predicate")
            }
            return predicate
        }
    }

    private func part<Part>(_ key: String, of object: ArchivedObject, _ what: String) throws -> Part? {
        guard let index = object.index(key), try archive.target(of: index) != nil else { return nil }
        guard let part = try object.named({ try outermost(index) }) as? Part else {
            throw object.error(.invalidValue, "'\(key)' of \(object.className) is not \(what)")
        }
        return part
    }

    private func outermost(_ index: Int) throws -> Any? {
        let (part, weight, _) = try value(at: index)
        totalWeight += weight
        guard totalWeight <= Limit.parts else { throw tooLarge() }
        return part
    }

    private func tooLarge() -> ModelFileError {
        ModelFileError(.tooLarge, "the predicates of the model have more than \(Limit.parts) parts")
    }

    /// A predicate, an expression, a part of one, a list of these, or the value of a constant.
    private func value(at index: Int) throws -> (part: Any?, weight: Int, height: Int) {
        guard let target = try archive.target(of: index) else { return (nil, 1, 0) }
        if let known = known[target] { return known }
        guard try archive.isObject(index), let object = try archive.object(at: index, what: "a predicate")
        else {
            let constant = try archive.valueWithWeight(at: index)
            return (constant?.value, constant?.weight ?? 1, 0)
        }
        guard open.insert(target).inserted, open.count <= Limit.depth else {
            throw ModelFileError(
                .cycle, "a predicate contains itself or is nested more than \(Limit.depth) deep")
        }
        defer { open.remove(target) }
        let made = try newPart(object, at: index)
        guard made.height < Limit.depth else {
            throw ModelFileError(.tooLarge, "a predicate is nested more than \(Limit.depth) deep")
        }
        known[target] = made
        return made
    }

    private func newPart(
        _ object: ArchivedObject, at index: Int
    ) throws -> (part: Any, weight: Int, height: Int) {
        var weight = 1
        var height = 0
        func inner(_ index: Int) throws -> Any? {
            let inner = try value(at: index)
            weight += inner.weight
            height = max(height, inner.height + 1)
            guard weight <= Limit.parts else { throw tooLarge() }
            return inner.part
        }
        if object.isOf("NSArray"), try isListOfParts(object) {
            return (try object.list().compactMap { try inner($0) }, weight, height)
        }
        guard Self.isPart(object) else {
            guard let constant = try archive.valueWithWeight(at: index) else {
                throw ModelFileError(.malformed, "a predicate has a null object as value")
            }
            return (constant.value, constant.weight, 0)
        }
        var fields: [String: Any] = [:]
        for key in object.keys {
            guard let index = object.index(key), let value = try inner(index) else { continue }
            fields[key] = value
        }
        guard let part = PredicateArchive.object(className: object.className, fields: fields) else {
            throw ModelFileError(
                .invalidValue, "a \(object.className) in a predicate is incomplete or of an unknown kind")
        }
        return (part, weight, height)
    }

    private static func isPart(_ object: ArchivedObject) -> Bool {
        object.isOf("NSPredicate") || object.isOf("NSExpression") || object.isOf("NSPredicateOperator")
    }

    /// Whether an array holds parts of predicates. One of plain values is the value of a constant.
    private func isListOfParts(_ array: ArchivedObject) throws -> Bool {
        guard let first = try array.list().first else { return true }
        guard try archive.isObject(first),
            let object = try archive.object(at: first, what: "an element of a predicate")
        else { return false }
        return Self.isPart(object)
    }
}
