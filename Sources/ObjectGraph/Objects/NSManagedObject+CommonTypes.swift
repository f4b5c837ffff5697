import Foundation

// Non-generic accessors of the most common types: generic ones are not specialised in other modules, where reading a number
// would take several times as long.

extension NSManagedObject {
    /// The value of a property that is an integer; see the generic form.
    public final subscript(key: ManagedKey<Int16>) -> Int16 {
        get { read(key) }
        set {
            let slot = slot(key)
            if !setFresh(.integer(Int64(newValue)), at: slot, .integer16) {
                Int16._write(newValue, self, slot)
            }
        }
    }

    /// The value of a property that is an integer; see the generic form.
    public final subscript(key: ManagedKey<Int32>) -> Int32 {
        get { read(key) }
        set {
            let slot = slot(key)
            if !setFresh(.integer(Int64(newValue)), at: slot, .integer32) {
                Int32._write(newValue, self, slot)
            }
        }
    }

    /// The value of a property that is an integer; see the generic form.
    public final subscript(key: ManagedKey<Int64>) -> Int64 {
        get { read(key) }
        set {
            let slot = slot(key)
            if !setFresh(.integer(newValue), at: slot, .integer64) { Int64._write(newValue, self, slot) }
        }
    }

    /// The value of a property that is an integer; see the generic form.
    public final subscript(key: ManagedKey<Int>) -> Int {
        get { read(key) }
        set {
            let slot = slot(key)
            if !setFresh(.integer(Int64(newValue)), at: slot, .integer64) { Int._write(newValue, self, slot) }
        }
    }

    /// The value of a property that is a Boolean; see the generic form.
    public final subscript(key: ManagedKey<Bool>) -> Bool {
        get { read(key) }
        set {
            let slot = slot(key)
            if !setFresh(.integer(newValue ? 1 : 0), at: slot, .boolean) { Bool._write(newValue, self, slot) }
        }
    }

    /// The value of a property that is a number; see the generic form.
    public final subscript(key: ManagedKey<Double>) -> Double {
        get { read(key) }
        set {
            let slot = slot(key)
            if !setFresh(.double(newValue), at: slot, .double) { Double._write(newValue, self, slot) }
        }
    }

    /// The value of a property that is a number; see the generic form.
    public final subscript(key: ManagedKey<Float>) -> Float {
        get { read(key) }
        set {
            let slot = slot(key)
            if !setFresh(.double(Double(newValue)), at: slot, .float) { Float._write(newValue, self, slot) }
        }
    }

    /// The value of a property that is a date; see the generic form.
    public final subscript(key: ManagedKey<Date?>) -> Date? {
        get { read(key) }
        set {
            let slot = slot(key)
            if !setFresh(
                newValue.map { .double($0.timeIntervalSinceReferenceDate) } ?? .null, at: slot, .date)
            {
                Optional<Date>._write(newValue, self, slot)
            }
        }
    }

    /// The value of a property that is a string; see the generic form.
    public final subscript(key: ManagedKey<String?>) -> String? {
        get { read(key) }
        set {
            let slot = slot(key)
            if !setFresh(newValue.map(SlotValue.string) ?? .null, at: slot, .string) {
                Optional<String>._write(newValue, self, slot)
            }
        }
    }

    /// The value of a property that is a string; see the generic form.
    public final subscript(key: ManagedKey<String>) -> String {
        get { read(key) }
        set {
            let slot = slot(key)
            if !setFresh(.string(newValue), at: slot, .string) { String._write(newValue, self, slot) }
        }
    }
}
