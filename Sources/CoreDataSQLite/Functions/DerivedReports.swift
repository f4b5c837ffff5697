import CoreDataSQL
import ObjectGraph
import ManagedObjectModel

/// What the triggers of derived attributes reported since a transaction began; one a writing connection, used on its
/// queue only.
///
/// The triggers of a file may be a stranger's. What they report of attributes that are not there is not kept, and the
/// statement ends with an error when they report too much.
final class DerivedReports: DerivedValueReports, @unchecked Sendable {
    /// How many bytes the values may take, and what one takes beside its text or data.
    private static let maxBytes = 256 << 20
    private static let bytesPerValue = 128

    /// The last value of each attribute of each row, by the name of the attribute.
    private(set) var changes: [DerivedRow: [String: SQLValue]] = [:]
    private var byteCount = 0
    private var isIgnoring = false
    private var schema: SQLSchema?
    /// The names of attributes by what triggers call them, for the entities that they spoke of.
    private var names: [Int32: [String: String]] = [:]

    /// Forgets what was reported; from now on it is about the rows of these tables.
    func begin(_ schema: SQLSchema) {
        if self.schema !== schema { names = [:] }
        self.schema = schema
        removeAll()
    }

    func removeAll() {
        if !changes.isEmpty { changes = [:] }
        byteCount = 0
    }

    /// Runs a block and discards its reports: those of a statement that changes any number of rows.
    func ignoring<Value>(_ body: () throws -> Value) rethrows -> Value {
        isIgnoring = true
        defer { isIgnoring = false }
        return try body()
    }

    /// Takes a trigger's call: table, entity number, key, attribute, new value.
    func note(_ call: SQLFunctionCall) {
        guard !isIgnoring, let number = Int32(exactly: call.integer(1)), let reported = call.text(3),
            let attribute = name(reported, number)
        else { return }
        let row = DerivedRow(entityNumber: number, reference: call.integer(2))
        let value = call.value(4)
        let old = changes[row, default: [:]].updateValue(value, forKey: attribute)
        byteCount += Self.cost(value) - (old.map(Self.cost) ?? 0)
        if byteCount > Self.maxBytes {
            call.fail("triggers report more than \(Self.maxBytes >> 20) MB of derived values")
        }
    }

    /// The attribute that a trigger means: those of Apple's own applications name the column instead.
    private func name(_ reported: String, _ number: Int32) -> String? {
        if let known = names[number] { return known[reported] }
        guard let entity = schema?.entity(number) else { return nil }
        var made: [String: String] = [:]
        for slot in entity.storedEntity.layout.slots where slot.isStored && slot.attribute != nil {
            guard let column = entity.column(rowSlot: slot.rowSlot) else { continue }
            made[column.name] = slot.name
        }
        for name in Array(made.values) { made[name] = name }
        names[number] = made
        return made[reported]
    }

    private static func cost(_ value: SQLValue) -> Int {
        switch value {
        case .text(let text): bytesPerValue + text.utf8.count
        case .blob(let data): bytesPerValue + data.count
        case .null, .integer, .double: bytesPerValue
        }
    }
}
