/// The identities of a result's objects, in order and packed: the keys as in `ReferenceList`, and four bytes more an object
/// when they are of several entities.
package struct IdentityList {
    private static let pieceSize = ReferenceList.pieceSize

    private(set) var storedEntities: [StoredEntity] = []
    private var references = ReferenceList()
    /// For each identity, the index of its entity binding; empty while there is only one.
    private var storedEntityIndexes: [ContiguousArray<UInt32>] = []
    private var indexOfStoredEntity: [ObjectIdentifier: UInt32] = [:]
    private var last: (storedEntity: StoredEntity, index: UInt32)?

    package init() {}

    var count: Int { references.count }
    var isEmpty: Bool { count == 0 }

    /// Adds an identity at the end. O(1).
    package mutating func append(_ storedEntity: StoredEntity, _ reference: Int64) {
        append(reference, index(of: storedEntity))
    }

    /// Adds an identity of the same entity binding as the one that was added last. O(1).
    package mutating func append(_ reference: Int64) {
        guard let last else {
            assertionFailure("The first identity has an entity binding.")
            return
        }
        append(reference, last.index)
    }

    /// Adds identities of one entity binding at the end. O(n).
    package mutating func append(
        _ storedEntity: StoredEntity, contentsOf references: UnsafeBufferPointer<Int64>
    ) {
        let index = index(of: storedEntity)
        if storedEntities.count > 1 {
            for reference in references { append(reference, index) }
        } else {
            self.references.append(contentsOf: references)
        }
    }

    @inline(__always)
    private mutating func append(_ reference: Int64, _ index: UInt32) {
        if storedEntities.count > 1 {
            if count % Self.pieceSize == 0 { storedEntityIndexes.append([]) }
            storedEntityIndexes[storedEntityIndexes.count - 1].append(index)
        }
        references.append(reference)
    }

    /// The index of an entity binding. With the second one, all identities get theirs.
    private mutating func index(of storedEntity: StoredEntity) -> UInt32 {
        if let last, last.storedEntity === storedEntity { return last.index }
        let index = indexOfStoredEntity[ObjectIdentifier(storedEntity)] ?? UInt32(storedEntities.count)
        if Int(index) == storedEntities.count {
            indexOfStoredEntity[ObjectIdentifier(storedEntity)] = index
            storedEntities.append(storedEntity)
            if storedEntities.count == 2 {
                storedEntityIndexes = stride(from: 0, to: count, by: Self.pieceSize).map {
                    ContiguousArray(repeating: 0, count: min(Self.pieceSize, count - $0))
                }
            }
        }
        last = (storedEntity, index)
        return index
    }

    /// The entity binding of all identities; nil if they have several.
    var onlyStoredEntity: StoredEntity? { storedEntities.count == 1 ? storedEntities[0] : nil }

    /// The key at an index. O(1).
    func reference(at index: Int) -> Int64 { references[index] }

    /// O(1).
    subscript(index: Int) -> ObjectIdentity {
        let (piece, offset) = index.quotientAndRemainder(dividingBy: Self.pieceSize)
        let storedEntity =
            storedEntities.count > 1
            ? storedEntities[Int(storedEntityIndexes[piece][offset])] : storedEntities[0]
        return ObjectIdentity(storedEntity: storedEntity, reference: references[index])
    }

    /// The identities of one table in the order of their keys.
    package var inKeyOrder: IdentityList {
        var list = IdentityList()
        for identity in (0..<count).map({ self[$0] }).sorted(by: { $0.reference < $1.reference }) {
            list.append(identity.storedEntity, identity.reference)
        }
        return list
    }

    /// The list without some identities. O(n).
    func removing(_ keys: Set<ObjectKey>) -> IdentityList {
        guard !keys.isEmpty else { return self }
        var kept = IdentityList()
        for index in 0..<count {
            let identity = self[index]
            if !keys.contains(identity.key) { kept.append(identity.storedEntity, identity.reference) }
        }
        return kept
    }
}
