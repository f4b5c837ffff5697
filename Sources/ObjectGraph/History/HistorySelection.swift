import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The elements of the history that meet the conditions of a request, added one by one as they are read.
///
/// Only what the result needs is kept: with a limit the elements of the window, or those that may still come into it.
/// A history has as many changes as were ever saved.
struct HistorySelection<Element> {
    /// The number of elements kept beyond a window before sorting and dropping.
    private static var excess: Int { 1_000 }

    private let given: NSPredicate?
    /// The condition translated for the store that is being read.
    private var predicate: NSPredicate?
    private let descriptors: [NSSortDescriptor]
    private let offset: Int
    /// The end of the window; nil for one without an end.
    private let end: Int?
    private(set) var elements: [Element] = []
    /// The sort descriptors; empty without an order.
    private var fields: [HistoryFields] = []

    /// How many have met the condition, regardless of the window.
    private(set) var metCount = 0

    init(_ specification: FetchSpecification?) {
        given = specification?.predicate
        predicate = given
        descriptors = specification?.sortDescriptors ?? []
        offset = max(specification?.fetchOffset ?? 0, 0)
        let limit = specification?.fetchLimit ?? 0
        end = limit > 0 ? offset.addingReportingOverflow(limit).overflow ? .max : offset + limit : nil
    }

    /// Whether a window was requested.
    var isWindow: Bool { end != nil || offset > 0 }

    /// Whether nothing that comes later can be in the result.
    var isFull: Bool { descriptors.isEmpty && end.map { metCount >= $0 } ?? false }

    /// Continues with another store.
    ///
    /// - Throws: 134301 for a condition with a token that has expired.
    mutating func begin(_ reader: any HistoryReader) throws {
        predicate = try given.map(HistoryCondition(reader).numbered)
    }

    /// Adds an element if it meets the condition and may be in the window.
    ///
    /// - Parameters:
    ///   - fields: the properties for the condition and the order.
    ///   - make: makes the element; nil for one that only counts.
    /// - Throws: 134091 for a property that the history does not have; an error of the condition; what `make` throws.
    mutating func take(_ fields: @autoclosure () -> HistoryFields, _ make: () throws -> Element?) throws {
        guard predicate != nil || !descriptors.isEmpty else { return try keep(make) }
        let fields = fields()
        let isMet = try predicate?.matches(fields) ?? true
        try fields.check()
        guard isMet else { return }
        guard !descriptors.isEmpty else { return try keep(make) }
        if metCount == 0 {
            // An order by an unknown key is an error, also where the order does not matter.
            _ = sorted([fields], by: descriptors)
            try fields.check()
        }
        metCount += 1
        guard let element = try make() else { return }
        elements.append(element)
        self.fields.append(fields)
        if let end, elements.count / 2 >= end, elements.count - end >= Self.excess { try sort() }
    }

    private mutating func keep(_ make: () throws -> Element?) throws {
        metCount += 1
        if metCount > offset, let element = try make() { elements.append(element) }
    }

    /// Sorts the elements, and drops those beyond the window.
    mutating func sort() throws {
        guard !descriptors.isEmpty else { return }
        let indexes = Dictionary(
            fields.indices.map { (ObjectIdentifier(fields[$0]), $0) }, uniquingKeysWith: { first, _ in first }
        )
        let order = sorted(fields, by: descriptors)
        for fields in order { try fields.check() }
        let kept = order.prefix(end ?? .max)
        elements = kept.compactMap { indexes[ObjectIdentifier($0)].map { elements[$0] } }
        fields = Array(kept)
    }

    /// The elements of the window.
    mutating func window() throws -> [Element] {
        guard !descriptors.isEmpty else { return elements }
        try sort()
        return Array(elements.dropFirst(offset))
    }
}

extension HistoryFields {
    /// - Throws: 134091 for a property that the history does not have.
    fileprivate func check() throws {
        guard let key = unknownKey else { return }
        throw NSError.coreData(
            .persistentStoreUnsupportedRequestType, "The history has no property named '\(key)'.")
    }
}
