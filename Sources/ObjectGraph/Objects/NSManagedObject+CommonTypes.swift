import Foundation

// Non-generic accessors of the most common types: generic ones are not specialised in other modules, where reading a number
// would take several times as long.

extension NSManagedObject {
    @inline(__always)
    private final func integer<Value>(_ key: ManagedKey<Value>) -> Int64? {
        let slot = slot(key)
        beginAccess(slot)
        return integer(at: slot)
    }

    @inline(__always)
    private final func double<Value>(_ key: ManagedKey<Value>) -> Double? {
        let slot = slot(key)
        beginAccess(slot)
        return double(at: slot)
    }

    @inline(__always)
    private final func string<Value>(_ key: ManagedKey<Value>) -> String? {
        let slot = slot(key)
        beginAccess(slot)
        return string(at: slot)
    }

    /// The value of a property that is an integer; see the generic form.
    public final subscript(key: ManagedKey<Int16>) -> Int16 {
        get { Int16(truncatingIfNeeded: integer(key) ?? 0) }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is an integer; see the generic form.
    public final subscript(key: ManagedKey<Int32>) -> Int32 {
        get { Int32(truncatingIfNeeded: integer(key) ?? 0) }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is an integer; see the generic form.
    public final subscript(key: ManagedKey<Int64>) -> Int64 {
        get { integer(key) ?? 0 }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is an integer; see the generic form.
    public final subscript(key: ManagedKey<Int>) -> Int {
        get { Int(truncatingIfNeeded: integer(key) ?? 0) }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a Boolean; see the generic form.
    public final subscript(key: ManagedKey<Bool>) -> Bool {
        get { integer(key) ?? 0 != 0 }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a number; see the generic form.
    public final subscript(key: ManagedKey<Double>) -> Double {
        get { double(key) ?? 0 }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a number; see the generic form.
    public final subscript(key: ManagedKey<Float>) -> Float {
        get { Float(double(key) ?? 0) }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a date; see the generic form.
    public final subscript(key: ManagedKey<Date?>) -> Date? {
        get { double(key).map { Date(timeIntervalSinceReferenceDate: $0) } }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a string; see the generic form.
    public final subscript(key: ManagedKey<String?>) -> String? {
        get { string(key) }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a string; see the generic form.
    public final subscript(key: ManagedKey<String>) -> String {
        get { string(key) ?? "" }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }
}

// Setters are inlined calls of these: the setter of a subscript counts a reference of the key, and of its object, each time.
extension NSManagedObject {
    @usableFromInline
    final func write(_ value: Int16, _ key: ManagedKey<Int16>) {
        let slot = slot(key)
        if !setFresh(.integer(Int64(value)), at: slot, .integer16) {
            Int16._write(value, self, slot)
        }
    }

    @usableFromInline
    final func write(_ value: Int32, _ key: ManagedKey<Int32>) {
        let slot = slot(key)
        if !setFresh(.integer(Int64(value)), at: slot, .integer32) {
            Int32._write(value, self, slot)
        }
    }

    @usableFromInline
    final func write(_ value: Int64, _ key: ManagedKey<Int64>) {
        let slot = slot(key)
        if !setFresh(.integer(value), at: slot, .integer64) { Int64._write(value, self, slot) }
    }

    @usableFromInline
    final func write(_ value: Int, _ key: ManagedKey<Int>) {
        let slot = slot(key)
        if !setFresh(.integer(Int64(value)), at: slot, .integer64) { Int._write(value, self, slot) }
    }

    @usableFromInline
    final func write(_ value: Bool, _ key: ManagedKey<Bool>) {
        let slot = slot(key)
        if !setFresh(.integer(value ? 1 : 0), at: slot, .boolean) { Bool._write(value, self, slot) }
    }

    @usableFromInline
    final func write(_ value: Double, _ key: ManagedKey<Double>) {
        let slot = slot(key)
        if !setFresh(.double(value), at: slot, .double) { Double._write(value, self, slot) }
    }

    @usableFromInline
    final func write(_ value: Float, _ key: ManagedKey<Float>) {
        let slot = slot(key)
        if !setFresh(.double(Double(value)), at: slot, .float) { Float._write(value, self, slot) }
    }

    @usableFromInline
    final func write(_ value: Date?, _ key: ManagedKey<Date?>) {
        let slot = slot(key)
        if !setFresh(
            value.map { .double($0.timeIntervalSinceReferenceDate) } ?? .null, at: slot, .date)
        {
            Optional<Date>._write(value, self, slot)
        }
    }

    @usableFromInline
    final func write(_ value: __owned String?, _ key: ManagedKey<String?>) {
        let slot = slot(key)
        if !setFresh(value.map(SlotValue.string) ?? .null, at: slot, .string) {
            Optional<String>._write(value, self, slot)
        }
    }

    @usableFromInline
    final func write(_ value: __owned String, _ key: ManagedKey<String>) {
        let slot = slot(key)
        if !setFresh(.string(value), at: slot, .string) { String._write(value, self, slot) }
    }
}
