import Foundation

/// Why an edit cannot be made: a sentence for a person.
package struct EditError: Error, LocalizedError, Sendable, Equatable {
    package let detail: String
    /// The setting that is wrong, if it is one.
    package let setting: String?

    init(_ detail: String, setting: String? = nil) {
        self.detail = detail
        self.setting = setting
    }

    package var errorDescription: String? { detail }
}
