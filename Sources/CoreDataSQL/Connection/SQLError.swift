import Foundation

/// What a database reports when it cannot run a statement.
package protocol SQLError: Error {
    /// Whether a row would have the values that another one has and only one may have.
    var isUniquenessViolation: Bool { get }
    /// Whether another connection has a lock that the statement needs.
    var isBusy: Bool { get }
    /// Whether `SQLConnection.interrupt()` ended the statement.
    var isInterrupted: Bool { get }

    /// The error for clients, with the database's code and message under Apple's keys.
    ///
    /// - Parameters:
    ///   - during: what was being done, for the sentence ("open the store", "save").
    ///   - store: where the store is.
    func error(during: String, store: URL?) -> NSError
}
