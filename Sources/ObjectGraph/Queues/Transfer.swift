/// Carries a value to a queue and back; the caller waits meanwhile and does not touch it.
struct Transfer<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
