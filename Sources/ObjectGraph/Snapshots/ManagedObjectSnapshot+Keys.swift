import Foundation

// Reading values by the constants by which objects are read. Those of the most common types are written out: generic code is not
// specialised in other modules, and would take several times as long.

extension ManagedObjectSnapshot {
    /// The value of an attribute; nil for none, and for one of another type.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript<T: ManagedComponent>(key: ManagedKey<T>) -> T? {
        value(forKey: key.name).cast(to: T.self)
    }

    /// The value of an attribute; nil for none, and for one of another type.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript<T: ManagedComponent>(key: ManagedKey<T?>) -> T? {
        value(forKey: key.name).cast(to: T.self)
    }

    /// The value of an attribute that is an integer, as objects have it: 0 for none.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript(key: ManagedKey<Int16>) -> Int16 { Int16(truncatingIfNeeded: integer(key) ?? 0) }

    /// The value of an attribute that is an integer, as objects have it: 0 for none.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript(key: ManagedKey<Int32>) -> Int32 { Int32(truncatingIfNeeded: integer(key) ?? 0) }

    /// The value of an attribute that is an integer, as objects have it: 0 for none.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript(key: ManagedKey<Int64>) -> Int64 { integer(key) ?? 0 }

    /// The value of an attribute that is an integer, as objects have it: 0 for none.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript(key: ManagedKey<Int>) -> Int { Int(truncatingIfNeeded: integer(key) ?? 0) }

    /// The value of an attribute that is a Boolean, as objects have it: false for none.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript(key: ManagedKey<Bool>) -> Bool { integer(key) ?? 0 != 0 }

    /// The value of an attribute that is a number, as objects have it: 0 for none.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript(key: ManagedKey<Double>) -> Double { double(key) ?? 0 }

    /// The value of an attribute that is a number, as objects have it: 0 for none.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript(key: ManagedKey<Float>) -> Float { Float(double(key) ?? 0) }

    /// The value of an attribute that is a date; nil for none.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript(key: ManagedKey<Date?>) -> Date? {
        double(key).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// The value of an attribute that is a string; nil for none.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript(key: ManagedKey<String?>) -> String? { string(key) }

    /// The value of an attribute that is a string, as objects have it: empty for none.
    ///
    /// - Precondition: the snapshot has the property.
    public subscript(key: ManagedKey<String>) -> String { string(key) ?? "" }

    // MARK: Values as objects keep them

    /// An integer or Boolean; nil for no value.
    @inline(__always)
    private func integer<Value>(_ key: ManagedKey<Value>) -> Int64? {
        guard isOfRow else { return keptInteger(key.name) }
        return word(key, .integer).map { Int64(bitPattern: $0) }
    }

    private func keptInteger(_ key: String) -> Int64? {
        switch value(forKey: key) {
        case .integer(let value): value
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }

    /// A double, float or date; nil for no value.
    @inline(__always)
    private func double<Value>(_ key: ManagedKey<Value>) -> Double? {
        guard isOfRow else { return keptDouble(key.name) }
        return word(key, .real).map { Double(bitPattern: $0) }
    }

    private func keptDouble(_ key: String) -> Double? {
        switch value(forKey: key) {
        case .double(let value): value
        case .float(let value): Double(value)
        case .date(let value): value.timeIntervalSinceReferenceDate
        default: nil
        }
    }

    @inline(__always)
    private func string<Value>(_ key: ManagedKey<Value>) -> String? {
        guard isOfRow else { return keptString(key.name) }
        return word(key, .string).map(string)
    }

    private func keptString(_ key: String) -> String? {
        if case .string(let value) = value(forKey: key) { return value }
        return nil
    }
}
