import ObjectGraph
import ManagedObjectModel

/// What the bits of `ZCOLUMNS` stand for in one entity: which properties of an object an update changed.
///
/// The first bit is the highest of the first byte. The order of the bits, as 3,491 updates in Apple's stores show:
///
/// 1. the keys of to-one relationships, those of the superentity first, then by name;
/// 2. in the same order, the destination's entity of those whose destination has subentities;
/// 3. in the same order, the position of those whose inverse is ordered;
/// 4. attributes, those of the superentity first, then by name; transient ones left out;
/// 5. to-many relationships whose inverse is to-one, or none;
/// 6. to-many relationships whose inverse is to-many.
///
/// In the last two groups the order is that of a dictionary of all properties; see `NameTableOrder`. The elements
/// of a composite attribute take a bit each, in place of the attribute; no sample shows these.
package final class HistoryColumns: ChangedProperties {
    private struct Bits: Sendable {
        var first: Int32 = -1
        var count: Int32 = 1
        var entity: Int32 = -1
        var order: Int32 = -1
        /// Where rows keep the number of a destination's entity.
        var entitySlot: Int32 = -1
    }

    /// By slot of the property.
    private let bits: [Bits]
    /// The slot of the property that each bit belongs to.
    private let slots: [Int]
    private let layout: EntityLayout
    /// The attributes whose values outlive their object, by name: the columns `ZTOMBSTONE0` and so on.
    package let tombstones: [PropertySlot]
    /// Those of them whose values are written. Apple's framework keeps no value that may be in a file, wherever it is.
    let outlivingValues: [OutlivingValue]

    /// How many bytes a bitmap of the entity takes.
    package var byteCount: Int { (slots.count + 7) / 8 }

    package init(_ layout: EntityLayout) {
        self.layout = layout
        var bits = Array(repeating: Bits(), count: layout.slots.count)
        var slots: [Int] = []
        func next(_ slot: Int) -> Int32 {
            slots.append(slot)
            return Int32(slots.count - 1)
        }
        let stored = Self.slotsByLineage(layout).filter { layout.slots[$0].isStored }
        let toOne = stored.filter { layout.slots[$0].kind == .toOne }
        for slot in toOne { bits[slot].first = next(slot) }
        for slot in toOne where layout.slots[slot].entitySlot >= 0 {
            bits[slot].entity = next(slot)
            bits[slot].entitySlot = Int32(layout.slots[slot].entitySlot)
        }
        for slot in toOne where layout.slots[slot].hasOrderedInverse { bits[slot].order = next(slot) }
        for slot in stored where layout.slots[slot].attribute != nil {
            let count = layout.slots[slot].columnCount
            bits[slot].count = Int32(count)
            for index in 0..<count {
                let bit = next(slot)
                if index == 0 { bits[slot].first = bit }
            }
        }
        for slot in Self.toMany(layout) { bits[slot].first = next(slot) }
        self.bits = bits
        self.slots = slots
        tombstones = layout.slots.filter {
            $0.isStored && $0.attribute?.preservesValueInHistoryOnDeletion ?? false
        }.sorted { Self.isBefore($0.name, $1.name) }
        outlivingValues = tombstones.enumerated().filter { !$0.element.isExternal }
            .map { ($0.offset, $0.element.rowSlot, $0.element.kind) }
    }

    private static func isBefore(_ a: String, _ b: String) -> Bool {
        a.utf8.lexicographicallyPrecedes(b.utf8)
    }

    /// The slots of all properties, those of each superentity first, then by name.
    private static func slotsByLineage(_ layout: EntityLayout) -> [Int] {
        var starts: [Int] = []
        var level = layout.superlayout
        while let superlayout = level {
            starts.append(superlayout.slots.count)
            level = superlayout.superlayout
        }
        let bounds = [0] + starts.reversed() + [layout.slots.count]
        return zip(bounds, bounds.dropFirst()).flatMap { start, end in
            (start..<end).sorted { isBefore(layout.slots[$0].name, layout.slots[$1].name) }
        }
    }

    /// The slots of to-many relationships: those without a join table first, then those with one.
    private static func toMany(_ layout: EntityLayout) -> [Int] {
        let properties = layout.slots.filter { $0.kind != .fetched }
        let toOne = properties.filter { $0.kind == .toOne }
        // Beside the properties the dictionary has the three columns of every row and those beside to-one relationships.
        let count =
            properties.count + 3 + toOne.count + toOne.filter { $0.entitySlot >= 0 }.count
            + toOne.filter(\.hasOrderedInverse).count
        let names = NameTableOrder.sorted(properties.map(\.name).sorted(by: isBefore), count: count)
        let slots = names.compactMap { layout.index(of: $0) }.filter {
            layout.slots[$0].kind == .toMany && layout.slots[$0].isStored
        }
        func hasJoinTable(_ slot: Int) -> Bool {
            layout.slots[slot].relationship?.inverseRelationship?.isToMany ?? false
        }
        return slots.filter { !hasJoinTable($0) } + slots.filter(hasJoinTable)
    }

    /// Marks in a bitmap what an update changed. The bitmap has at least `byteCount` bytes.
    package func mark(_ update: UnitOfWork.Update, _ row: Row, in bitmap: UnsafeMutableBufferPointer<UInt8>) {
        mark(update.changed, in: bitmap) { !Self.isSame(row, update.old, Int($0.entitySlot)) }
        for slot in update.changedLinks { Self.mark(bits[slot].first, in: bitmap) }
    }

    /// Marks in a bitmap that an object has another position in the other ends of relationships.
    package func markPositions(
        _ relationships: [NSRelationshipDescription], in bitmap: UnsafeMutableBufferPointer<UInt8>
    ) {
        for relationship in relationships {
            guard let slot = layout.index(of: relationship.name) else { continue }
            Self.mark(bits[slot].order >= 0 ? bits[slot].order : bits[slot].first, in: bitmap)
        }
    }

    /// Marks in a bitmap what a statement changed, without looking at the rows: the entity of a destination, too, may be
    /// another one.
    package func mark(_ changed: PropertySet, in bitmap: UnsafeMutableBufferPointer<UInt8>) {
        mark(changed, in: bitmap) { _ in true }
    }

    private func mark(
        _ changed: PropertySet, in bitmap: UnsafeMutableBufferPointer<UInt8>,
        whereEntityChanged isEntityChanged: (Bits) -> Bool
    ) {
        for slot in changed {
            let bits = bits[slot]
            guard bits.first >= 0 else { continue }
            for bit in bits.first..<bits.first + bits.count { Self.mark(bit, in: bitmap) }
            Self.mark(bits.order, in: bitmap)
            if bits.entity >= 0, isEntityChanged(bits) { Self.mark(bits.entity, in: bitmap) }
        }
    }

    private static func mark(_ bit: Int32, in bitmap: UnsafeMutableBufferPointer<UInt8>) {
        guard bit >= 0 else { return }
        bitmap[Int(bit) >> 3] |= 0x80 >> UInt8(bit & 7)
    }

    private static func isSame(_ a: Row, _ b: Row, _ slot: Int) -> Bool {
        a.isNull(slot) || b.isNull(slot)
            ? a.isNull(slot) == b.isNull(slot) : a.integer(slot) == b.integer(slot)
    }

    /// Bits beyond those of the entity stand for nothing.
    package func properties(in bitmap: [UInt8]) -> Set<NSPropertyDescription> {
        var properties: Set<NSPropertyDescription> = []
        for (bit, slot) in slots.enumerated() {
            guard bit >> 3 < bitmap.count else { break }
            if bitmap[bit >> 3] & (0x80 >> UInt8(bit & 7)) != 0 {
                properties.insert(layout.slots[slot].property)
            }
        }
        return properties
    }
}

extension PropertySlot {
    fileprivate var hasOrderedInverse: Bool { relationship?.inverseRelationship?.isOrdered ?? false }

    /// How many columns an attribute takes.
    fileprivate var columnCount: Int {
        kind == .composite ? elements.reduce(0) { $0 + $1.columnCount } : 1
    }
}
