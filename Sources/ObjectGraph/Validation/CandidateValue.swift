import Foundation

/// The value of a property while `validateValue(_:forKey:)` checks it.
///
/// Checking a number as `Any` would look up its type at each step, which costs more than the rest of a save. So the check finds
/// out whether it received exactly the object's value, and then uses that.
struct CandidateValue {
    unowned(unsafe) let object: NSManagedObject
    let slot: Int
    let value: SlotValue
    /// The value as key-value coding returns it.
    let boxed: Any?
    /// Whether `boxed` is a reference that stands for `value` and nothing else.
    private let isReference: Bool

    init(_ object: NSManagedObject, _ slot: Int) {
        self.object = object
        self.slot = slot
        let kind = object.layout.slots[slot].kind
        guard kind != .toMany else {
            value = .toMany(object.loadedToMany(at: slot))
            boxed = value.anyValue(kind)
            isReference = false
            return
        }
        value = object.value(at: slot)
        boxed = value.anyValue(kind)
        isReference =
            switch value {
            case .integer: true
            case .double: kind != .date
            case .decimal, .object: true
            default: false
            }
    }

    /// Whether a value is certainly the offered one; false is inconclusive.
    func isUnchanged(_ other: Any?) -> Bool {
        guard isReference else { return boxed == nil && other == nil }
        // The reference and the type of what an existential holds, without a dynamic cast.
        return withUnsafeBytes(of: boxed) { one in
            withUnsafeBytes(of: other) { other in
                one.load(as: UInt.self) == other.load(as: UInt.self)
                    && one.load(fromByteOffset: 3 * MemoryLayout<UInt>.size, as: UInt.self)
                        == other.load(fromByteOffset: 3 * MemoryLayout<UInt>.size, as: UInt.self)
            }
        }
    }
}
