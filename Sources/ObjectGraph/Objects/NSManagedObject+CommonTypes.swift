import Foundation

// Non-generic accessors of the most common types: generic ones are not specialised in other modules, where reading a number
// would take several times as long.

extension NSManagedObject {
    // Each read has a part for a loaded object outside of tracking, which calls nothing, and one for all others, which is called last:
    // so the former needs no room on the stack.

    /// An integer or Boolean; 0 for none.
    ///
    /// One function for all types of integers, called by the accessors that are inlined: functions of equal code would become calls of
    /// one of them.
    @usableFromInline
    final func readInteger(_ key: ManagedKey<Int64>) -> Int64 {
        guard let slot = readableSlot(key) else { return loadedInteger(key) }
        return integerOrZero(at: slot)
    }

    @inline(never)
    private final func loadedInteger(_ key: ManagedKey<Int64>) -> Int64 {
        let slot = slot(key)
        beginAccess(slot)
        return integerOrZero(at: slot)
    }

    /// A double or float; 0 for none.
    @inline(__always)
    private final func double<Value>(_ key: ManagedKey<Value>) -> Double {
        guard let slot = readableSlot(key) else { return loadedDouble(key) }
        return doubleOrZero(at: slot)
    }

    @inline(never)
    private final func loadedDouble<Value>(_ key: ManagedKey<Value>) -> Double {
        let slot = slot(key)
        beginAccess(slot)
        return doubleOrZero(at: slot)
    }

    @inline(never)
    private final func loadedDate(_ key: ManagedKey<Date?>) -> Date? {
        let slot = slot(key)
        beginAccess(slot)
        return double(at: slot).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    @inline(never)
    private final func loadedUUID(_ key: ManagedKey<UUID?>) -> UUID? {
        let slot = slot(key)
        beginAccess(slot)
        return uuid(at: slot)
    }

    /// A string that the object keeps; nil for any other, or none.
    @inline(__always)
    private final func keptString<Value>(_ key: ManagedKey<Value>) -> String? {
        guard let slot = readableSlot(key), slot < values.count, case .string(let value) = values[slot] else {
            return nil
        }
        return value
    }

    @inline(never)
    private final func loadedString<Value>(_ key: ManagedKey<Value>) -> String? {
        let slot = slot(key)
        beginAccess(slot)
        return string(at: slot)
    }

    /// The value of a property that is an integer; see the generic form.
    public final subscript(key: ManagedKey<Int16>) -> Int16 {
        @inlinable @inline(__always)
        get { Int16(truncatingIfNeeded: readInteger(key.ofIntegers)) }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is an integer; see the generic form.
    public final subscript(key: ManagedKey<Int32>) -> Int32 {
        @inlinable @inline(__always)
        get { Int32(truncatingIfNeeded: readInteger(key.ofIntegers)) }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is an integer; see the generic form.
    public final subscript(key: ManagedKey<Int64>) -> Int64 {
        @inlinable @inline(__always)
        get { readInteger(key) }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is an integer; see the generic form.
    public final subscript(key: ManagedKey<Int>) -> Int {
        @inlinable @inline(__always)
        get { Int(truncatingIfNeeded: readInteger(key.ofIntegers)) }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a Boolean; see the generic form.
    public final subscript(key: ManagedKey<Bool>) -> Bool {
        @inlinable @inline(__always)
        get { readInteger(key.ofIntegers) != 0 }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a number; see the generic form.
    public final subscript(key: ManagedKey<Double>) -> Double {
        get { double(key) }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a number; see the generic form.
    public final subscript(key: ManagedKey<Float>) -> Float {
        get { Float(double(key)) }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a date; see the generic form.
    public final subscript(key: ManagedKey<Date?>) -> Date? {
        get {
            guard let slot = readableSlot(key) else { return loadedDate(key) }
            return double(at: slot).map { Date(timeIntervalSinceReferenceDate: $0) }
        }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a UUID; see the generic form.
    public final subscript(key: ManagedKey<UUID?>) -> UUID? {
        get {
            guard let slot = readableSlot(key) else { return loadedUUID(key) }
            return uuid(at: slot)
        }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a string; see the generic form.
    public final subscript(key: ManagedKey<String?>) -> String? {
        get { keptString(key) ?? loadedString(key) }
        @inlinable @inline(__always)
        set { write(newValue, key) }
    }

    /// The value of a property that is a string; see the generic form.
    public final subscript(key: ManagedKey<String>) -> String {
        get { keptString(key) ?? loadedString(key) ?? "" }
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
    final func write(_ value: UUID?, _ key: ManagedKey<UUID?>) {
        let slot = slot(key)
        if !setFresh(value.map(SlotValue.uuid) ?? .null, at: slot, .uuid) {
            Optional<UUID>._write(value, self, slot)
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
