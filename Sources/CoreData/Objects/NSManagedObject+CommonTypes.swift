import Foundation

// The accessors of the types that most properties have, once more: a generic one is not compiled for its type in other
// modules, where reading a number would take several times as long.

extension NSManagedObject {
    /// The value of a property that is a whole number; see the generic form.
    public final subscript(key: ManagedKey<Int16>) -> Int16 {
        get { read(key) }
        set { Int16._write(newValue, self, key.index(in: layout)) }
    }

    /// The value of a property that is a whole number; see the generic form.
    public final subscript(key: ManagedKey<Int32>) -> Int32 {
        get { read(key) }
        set { Int32._write(newValue, self, key.index(in: layout)) }
    }

    /// The value of a property that is a whole number; see the generic form.
    public final subscript(key: ManagedKey<Int64>) -> Int64 {
        get { read(key) }
        set { Int64._write(newValue, self, key.index(in: layout)) }
    }

    /// The value of a property that is a whole number; see the generic form.
    public final subscript(key: ManagedKey<Int>) -> Int {
        get { read(key) }
        set { Int._write(newValue, self, key.index(in: layout)) }
    }

    /// The value of a property that is a Boolean; see the generic form.
    public final subscript(key: ManagedKey<Bool>) -> Bool {
        get { read(key) }
        set { Bool._write(newValue, self, key.index(in: layout)) }
    }

    /// The value of a property that is a number; see the generic form.
    public final subscript(key: ManagedKey<Double>) -> Double {
        get { read(key) }
        set { Double._write(newValue, self, key.index(in: layout)) }
    }

    /// The value of a property that is a number; see the generic form.
    public final subscript(key: ManagedKey<Float>) -> Float {
        get { read(key) }
        set { Float._write(newValue, self, key.index(in: layout)) }
    }

    /// The value of a property that is a date; see the generic form.
    public final subscript(key: ManagedKey<Date?>) -> Date? {
        get { read(key) }
        set { Optional<Date>._write(newValue, self, key.index(in: layout)) }
    }

    /// The value of a property that is a text; see the generic form.
    public final subscript(key: ManagedKey<String?>) -> String? {
        get { read(key) }
        set { Optional<String>._write(newValue, self, key.index(in: layout)) }
    }

    /// The value of a property that is a text; see the generic form.
    public final subscript(key: ManagedKey<String>) -> String {
        get { read(key) }
        set { String._write(newValue, self, key.index(in: layout)) }
    }
}
