import ManagedObjectModel

/// A row with some of its columns, for a fault to return these properties.
///
/// Made for `NSFetchRequest.propertiesToFetch` of objects. It never enters the row cache; reading any other property loads the
/// whole object.
final class PartialRow {
    let row: Row
    private let slots: PropertySet

    init(_ row: Row, slots: PropertySet) {
        self.row = row
        self.slots = slots
    }

    func has(_ slot: Int) -> Bool { slots.contains(slot) }
}
