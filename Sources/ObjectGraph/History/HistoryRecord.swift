/// The stored properties of a transaction, without its changes.
package struct HistoryRecord {
    package let number: Int64
    let time: Double
    let author: String?
    let bundleID: String?
    let contextName: String?
    let processID: String?

    package init(
        number: Int64, time: Double, author: String?, bundleID: String?, contextName: String?,
        processID: String?
    ) {
        self.number = number
        self.time = time
        self.author = author
        self.bundleID = bundleID
        self.contextName = contextName
        self.processID = processID
    }
}
