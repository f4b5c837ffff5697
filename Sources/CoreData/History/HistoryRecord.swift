/// What a store keeps of a transaction, beside its changes.
struct HistoryRecord {
    let number: Int64
    let time: Double
    let author: String?
    let bundleID: String?
    let contextName: String?
    let processID: String?
}
