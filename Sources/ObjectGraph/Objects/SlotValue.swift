import CocoaFoundation
import Foundation

/// The value of one property in one object, unboxed.
package enum SlotValue {
    /// The object's row has the value; nothing was decoded or set yet.
    case unloaded
    case null
    /// Integers of every size, and Booleans as 0 and 1.
    case integer(Int64)
    /// Double and Float; Dates as seconds since 2001.
    case double(Double)
    case string(String)
    case data(Data)
    case uuid(UUID)
    case url(URL)
    case decimal(Decimal)
    /// The destination of a to-one relationship.
    case object(NSManagedObject)
    /// The destinations of a to-many relationship.
    case toMany(ToManyContents)
    /// A transformed value, a composite's dictionary, a value of undefined type.
    case boxed(ValueBox)

    package var isUnloaded: Bool {
        if case .unloaded = self { return true }
        return false
    }

    package var isNull: Bool {
        if case .null = self { return true }
        return false
    }
}

/// A value of any type behind one reference.
package final class ValueBox {
    package let value: Any

    package init(_ value: Any) { self.value = value }
}

extension SlotValue {
    /// Whether both are the same value, as change tracking understands it: transformed values by `isEqual`,
    /// managed objects by identity.
    package func isSame(as other: SlotValue) -> Bool {
        switch (self, other) {
        case (.unloaded, .unloaded), (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.double(let a), .double(let b)): a == b || (a.isNaN && b.isNaN)
        // Canonically equivalent strings are different values to a store.
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.data(let a), .data(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.url(let a), .url(let b)): a.absoluteString == b.absoluteString
        case (.decimal(let a), .decimal(let b)): a == b || (a.isNaN && b.isNaN)
        case (.object(let a), .object(let b)): a === b
        case (.toMany(let a), .toMany(let b)): a === b
        case (.boxed(let a), .boxed(let b)): a === b || ValueTransformer.areEqual(a.value, b.value)
        default: false
        }
    }
}
