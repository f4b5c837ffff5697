/// The sets of objects that the notifications of one save share: what an event of the save has inserted is mostly what the save
/// inserts.
///
/// A set of very many objects takes as long as a third of their validation. It is made of each list once.
struct SharedSets {
    private var made: [(objects: [NSManagedObject], set: Set<NSManagedObject>)] = []

    /// The set of a list's objects. O(n).
    mutating func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        let known = made.first { known in
            known.objects.count == objects.count && zip(known.objects, objects).allSatisfy { $0 === $1 }
        }
        if let known { return known.set }
        let set = Set(objects)
        made.append((objects, set))
        return set
    }
}
