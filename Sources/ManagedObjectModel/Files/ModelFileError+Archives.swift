import CocoaFoundation

extension ModelFileError {
    /// Turns the errors of archives into those of model files.
    static func throwing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let fault as MalformedPropertyList {
            throw ModelFileError(.malformed, "the archive is damaged: \(fault.reason)")
        } catch let error as CocoaError {
            throw ModelFileError(.invalidValue, error.archiveMessage)
        }
    }
}

extension CocoaError {
    /// What is wrong with an archive, without the preamble of Foundation.
    fileprivate var archiveMessage: String {
        userInfo[NSDebugDescriptionErrorKey] as? String ?? localizedDescription
    }
}
