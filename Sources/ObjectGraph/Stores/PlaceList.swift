/// The identities of a result's objects, in order and packed: the keys as in `ReferenceList`, and four bytes more an object
/// when they are of several entities.
package struct PlaceList {
    private static let pieceSize = ReferenceList.pieceSize

    private(set) var homes: [StoredEntity] = []
    private var references = ReferenceList()
    /// For each identity, the index of its entity binding; empty while there is only one.
    private var homeIndexes: [ContiguousArray<UInt32>] = []
    private var indexOfHome: [ObjectIdentifier: UInt32] = [:]
    private var last: (home: StoredEntity, index: UInt32)?

    package init() {}

    var count: Int { references.count }
    var isEmpty: Bool { count == 0 }

    /// Adds an identity at the end. O(1).
    package mutating func append(_ home: StoredEntity, _ reference: Int64) {
        let index = index(of: home)
        if homes.count > 1 {
            if count % Self.pieceSize == 0 { homeIndexes.append([]) }
            homeIndexes[homeIndexes.count - 1].append(index)
        }
        references.append(reference)
    }

    /// The index of an entity binding. With the second one, all identities get theirs.
    private mutating func index(of home: StoredEntity) -> UInt32 {
        if let last, last.home === home { return last.index }
        let index = indexOfHome[ObjectIdentifier(home)] ?? UInt32(homes.count)
        if Int(index) == homes.count {
            indexOfHome[ObjectIdentifier(home)] = index
            homes.append(home)
            if homes.count == 2 {
                homeIndexes = stride(from: 0, to: count, by: Self.pieceSize).map {
                    ContiguousArray(repeating: 0, count: min(Self.pieceSize, count - $0))
                }
            }
        }
        last = (home, index)
        return index
    }

    /// O(1).
    subscript(index: Int) -> ObjectPlace {
        let (piece, offset) = index.quotientAndRemainder(dividingBy: Self.pieceSize)
        let home = homes.count > 1 ? homes[Int(homeIndexes[piece][offset])] : homes[0]
        return ObjectPlace(home: home, reference: references[index])
    }

    /// The identities of one table in the order of their keys.
    package var inKeyOrder: PlaceList {
        var list = PlaceList()
        for place in (0..<count).map({ self[$0] }).sorted(by: { $0.reference < $1.reference }) {
            list.append(place.home, place.reference)
        }
        return list
    }

    /// The list without some identities. O(n).
    func removing(_ keys: Set<ObjectKey>) -> PlaceList {
        guard !keys.isEmpty else { return self }
        var kept = PlaceList()
        for index in 0..<count {
            let place = self[index]
            if !keys.contains(place.key) { kept.append(place.home, place.reference) }
        }
        return kept
    }
}
