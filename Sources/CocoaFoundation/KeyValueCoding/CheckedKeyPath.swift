/// The text of a key path whose names the compiler checks: what ported sources have in place of `#keyPath`.
///
/// ```swift
/// _checkedKeyPath("address.city", _KeyPathCheck<Person>().address.city)
/// ```
///
/// The second argument is compiled and never runs, so that the call costs as much as the text.
///
/// - Parameters:
///   - keyPath: the text.
///   - check: the same names, as members of a ``_KeyPathCheck``.
@inlinable @inline(__always)
public func _checkedKeyPath(_ keyPath: String, _ check: @autoclosure () -> Any) -> String { keyPath }

/// Stands for a value of a type on the way of a key path, for the compiler alone.
///
/// Its members are the properties of the type. As with `#keyPath`, an optional stands for the value in it, and a
/// collection for its elements.
@dynamicMemberLookup
public struct _KeyPathCheck<Value> {
    /// Begins a key path.
    @inlinable public init() {}

    /// A property.
    @_disfavoredOverload @inlinable
    public subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> _KeyPathCheck<Member> {
        .init()
    }

    /// A property of the value in an optional.
    @inlinable
    public subscript<Object, Member>(dynamicMember member: KeyPath<Object, Member>) -> _KeyPathCheck<Member>
    where Value == Object? { .init() }

    /// A property of a set's elements.
    @inlinable
    public subscript<Object, Member>(dynamicMember member: KeyPath<Object, Member>) -> _KeyPathCheck<Member>
    where Value == Set<Object> { .init() }

    /// A property of the elements of a set in an optional.
    @inlinable
    public subscript<Object, Member>(dynamicMember member: KeyPath<Object, Member>) -> _KeyPathCheck<Member>
    where Value == Set<Object>? { .init() }

    /// A property of an array's elements.
    @inlinable
    public subscript<Object, Member>(dynamicMember member: KeyPath<Object, Member>) -> _KeyPathCheck<Member>
    where Value == [Object] { .init() }

    /// A property of the elements of an array in an optional.
    @inlinable
    public subscript<Object, Member>(dynamicMember member: KeyPath<Object, Member>) -> _KeyPathCheck<Member>
    where Value == [Object]? { .init() }
}
