import DurableFiles
import Foundation

extension NSError {
    /// Runs a block, and gives errors of the file system a code of Core Data's.
    ///
    /// - Parameters:
    ///   - what: what could not be done, after "Could not".
    ///   - url: the store that it was about.
    /// - Throws: 134080 for an error of the file system, which is beneath it as one of `NSPOSIXErrorDomain`; what else the
    ///   block throws.
    static func namingFileErrors<Value>(
        during what: String, store url: URL?, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as FileError {
            var details: [String: Any] = [NSUnderlyingErrorKey: error as NSError]
            if let url { details[NSFilePathErrorKey] = url.path }
            let location = url.map { " at \($0.path)" } ?? ""
            throw NSError.coreData(
                .persistentStoreOpen,
                "Could not \(what)\(location): \(error.localizedDescription).", details)
        }
    }
}
