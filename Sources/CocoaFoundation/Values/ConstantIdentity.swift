/// A constant as `isEqual` of expressions distinguishes it from others: by its value and by its type, as far as anything is computed
/// otherwise of values of that type.
///
/// `PredicateValue` finds the integer 2, the real number 2.0, the decimal 2 and the second 2 after 2001 equal; but the half of
/// the first is another one, and the last is compared with dates.
struct ConstantIdentity: Hashable {
    private enum Form: Hashable {
        case absent
        /// A truth value is 1 or 0, as it is printed and computed with.
        case integer(Int64)
        case unsigned(UInt64)
        /// By its bits: a zero below zero is another one, and what is not a number is itself.
        case double(UInt64)
        /// None is what is not a number.
        case decimal(Decimal?)
        /// By its code points: Swift finds strings equal that predicates do not.
        case text([Unicode.Scalar])
        case date(UInt64)
        case list(ValueCollectionKind, [ConstantIdentity])
        case set(Set<ConstantIdentity>)
        case dictionary([ConstantIdentity: ConstantIdentity])
        /// A value of one type, as predicates compare it.
        case other(PredicateValue)
    }

    private let form: Form

    init(_ value: Any?) { form = ConstantIdentity.form(value) }

    private static func form(_ constant: Any?) -> Form {
        let value = PredicateValue(constant)
        switch value {
        case .absent: return .absent
        case .integer(let number): return .integer(number)
        case .unsigned(let number): return .unsigned(number)
        case .double(let number): return .double(bits(number))
        case .decimal(let number): return .decimal(number.isNaN ? nil : number)
        case .text(let text): return .text(Array(text.unicodeScalars))
        case .date(let date): return .date(bits(date.timeIntervalSinceReferenceDate))
        case .collection(let collection): return form(of: collection) ?? .other(value)
        case .data, .uuid, .url, .identity, .other: return .other(value)
        }
    }

    private static func form(of collection: any ValueCollection) -> Form? {
        let kind = collection.collectionKind
        guard kind == .dictionary else {
            let elements = collection.collectionElements.map { ConstantIdentity($0) }
            return kind == .set ? .set(Set(elements)) : .list(kind, elements)
        }
        guard let dictionary = collection as? [AnyHashable: Any] else { return nil }
        let pairs = dictionary.map { (ConstantIdentity($0.key.base), ConstantIdentity($0.value)) }
        return .dictionary(Dictionary(pairs) { first, _ in first })
    }

    private static func bits(_ number: Double) -> UInt64 {
        number.isNaN ? Double.nan.bitPattern : number.bitPattern
    }
}
