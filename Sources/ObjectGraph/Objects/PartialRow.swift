import ManagedObjectModel

/// A row with some of its columns, which is enough for a fault to answer for these properties.
///
/// What `NSFetchRequest.propertiesToFetch` asks for, of objects. It never comes into the row cache; any other property
/// that is read loads the whole object.
final class PartialRow {
    let row: Row
    private let slots: PropertySet

    init(_ row: Row, slots: PropertySet) {
        self.row = row
        self.slots = slots
    }

    func has(_ slot: Int) -> Bool { slots.contains(slot) }
}
