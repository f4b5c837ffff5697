/// Counts values of external data whose files are not there.
package struct MissingFiles {
    private var count = 0

    package init() {}

    /// - Parameter values: those of an object.
    package mutating func note(_ values: [String: JSONValue]) {
        count += values.values.count { $0.isMissingFile }
    }

    /// What is to be said of them; nil for none.
    package var notice: String? {
        switch count {
        case 0: nil
        case 1: "1 value is in a file of external data that is not there."
        default: "\(count) values are in files of external data that are not there."
        }
    }
}
