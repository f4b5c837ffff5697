import Foundation

/// Why a tool cannot do its work: a sentence for the user.
package struct StoreToolError: Error, LocalizedError, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    package var errorDescription: String? { description }
}
