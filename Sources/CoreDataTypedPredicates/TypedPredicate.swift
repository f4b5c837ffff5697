import CoreData

/// A condition on objects of a class, written with the class's key paths and checked by the compiler.
///
/// ```swift
/// let isLong: TypedPredicate<Book> = \.pages > 500 && \.title != nil
/// let request = NSFetchRequest<Book>(entityName: "Book")
///     .where(isLong || (\Book.title).contains("war", .caseInsensitive))
///     .sort(\.title)
/// ```
///
/// Operators: `==` and `!=` with a value or nil, `<`, `<=`, `>`, `>=`, `===` and `!==` with an object, `~=` with a range
/// or values on its left, `&&`, `||`, `!`. Methods of key paths: `contains`, `beginsWith`, `endsWith`, `like`, `matches`
/// and `equals` for strings, `in` and `between` for values, `any`, `all` and `none` for collections; the key path of a method names its
/// class. A comparison with a bare `nil` is taken for one of the key path itself where nothing says that a condition is
/// wanted; the compiler warns.
///
/// It is an `NSPredicate` in the end, with its rules: in a fetch, a comparison with a missing value is not met, `!=`
/// included, unless it is with nil. Each key path must have a name in `KeyPathNames`; those of generated and macro-made classes have.
public struct TypedPredicate<Root> {
    /// The condition as a predicate.
    public let predicate: NSPredicate

    /// Makes a typed condition of a predicate whose keys are those of the class.
    public init(_ predicate: NSPredicate) { self.predicate = predicate }

    init<Value>(
        _ keyPath: KeyPath<Root, Value>, _ type: NSComparisonPredicate.Operator, _ value: Any?,
        _ options: NSComparisonPredicate.Options = []
    ) {
        predicate = .comparison(
            NSExpression(forKeyPath: keyPath), type, NSExpression(forConstantValue: Self.stored(value)),
            options)
    }

    /// What a store keeps of a value: of a case of an enumeration, its raw value.
    private static func stored(_ value: Any?) -> Any? {
        switch value {
        case let value as any RawRepresentable: value.rawValue
        case let values as [Any]: values.map { stored($0) ?? $0 }
        default: value
        }
    }

    /// Both conditions.
    public static func && (lhs: TypedPredicate, rhs: TypedPredicate) -> TypedPredicate {
        TypedPredicate(.compound(.and, lhs.predicate, rhs.predicate))
    }

    /// One of two conditions, or both.
    public static func || (lhs: TypedPredicate, rhs: TypedPredicate) -> TypedPredicate {
        TypedPredicate(.compound(.or, lhs.predicate, rhs.predicate))
    }

    /// The opposite of the condition.
    public static prefix func ! (condition: TypedPredicate) -> TypedPredicate {
        TypedPredicate(condition.predicate.negated)
    }
}
