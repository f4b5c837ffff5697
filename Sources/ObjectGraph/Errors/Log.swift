import Logging

/// The loggers of the framework, one a subject.
package enum Log {
    package static let objects = Logger(label: "com.apple.CoreData.objects")
    package static let store = Logger(label: "com.apple.CoreData.store")
    /// The statements, at debug level; at trace level what their values are, see `description(of:)`.
    package static let sql = Logger(label: "com.apple.CoreData.sql")
}
