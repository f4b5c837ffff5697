/// The objects in the order of the descriptors; objects that compare as the same keep their order.
///
/// Each key is read once per object.
package func sorted<Element>(_ objects: [Element], by descriptors: [NSSortDescriptor]) -> [Element] {
    if descriptors.isEmpty { return objects }
    let criteria = descriptors.map(SortCriterion.init)
    let values = criteria.map { criterion in objects.map(criterion.value) }
    let order = objects.indices.sorted { left, right in
        for (criterion, values) in zip(criteria, values) {
            switch criterion.order(values[left], values[right]) {
            case .orderedAscending: return true
            case .orderedDescending: return false
            case .orderedSame: continue
            }
        }
        return left < right
    }
    return order.map { objects[$0] }
}

/// One descriptor, with what it compares read from the objects beforehand.
private struct SortCriterion {
    private let descriptor: NSSortDescriptor
    private let keyed: KeySortDescriptor?

    enum Value {
        case comparable(PredicateValue)
        case any(Any?)
    }

    init(_ descriptor: NSSortDescriptor) {
        self.descriptor = descriptor
        keyed = descriptor as? KeySortDescriptor
    }

    func value(of object: Any) -> Value {
        guard let keyed else { return .any(object) }
        let value = keyed.value(of: object)
        if case .method = keyed.order { return .comparable(PredicateValue(value)) }
        return .any(value)
    }

    func order(_ lhs: Value, _ rhs: Value) -> ComparisonResult {
        switch (lhs, rhs) {
        case (.comparable(let lhs), .comparable(let rhs)):
            guard case .method(let method)? = keyed?.order else { return .orderedSame }
            let result = method.order(lhs, rhs)
            return descriptor.ascending ? result : result.reversed
        case (.any(let lhs), .any(let rhs)):
            guard let keyed else { return descriptor.compare(lhs ?? NSNull(), to: rhs ?? NSNull()) }
            let result = keyed.orderOfValues(lhs, rhs)
            return descriptor.ascending ? result : result.reversed
        default:
            return .orderedSame
        }
    }
}
