import Foundation

/// What a call of the system has refused. As an `NSError` it is one of `NSPOSIXErrorDomain`.
package struct FileError: Error, LocalizedError, CustomNSError, Equatable {
    /// The call, such as "fsync".
    package let call: String
    /// The path that it was about; empty for a call on a descriptor.
    package var path: String
    /// The number of the error, such as `ENOSPC`.
    package let code: Int32
    /// What is wrong, where the number does not say it.
    package let reason: String?

    package init(call: String, path: String = "", code: Int32, reason: String? = nil) {
        self.call = call
        self.path = path
        self.code = code
        self.reason = reason
    }

    package static var errorDomain: String { NSPOSIXErrorDomain }
    package var errorCode: Int { Int(code) }

    package var errorUserInfo: [String: Any] {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: description]
        if !path.isEmpty { userInfo[NSFilePathErrorKey] = path }
        return userInfo
    }

    package var errorDescription: String? { description }

    private var description: String {
        let text = reason ?? "\(String(cString: strerror(code))) (\(call))"
        return path.isEmpty ? text : "\(path): \(text)"
    }

    /// Whether there is nothing at the path.
    package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// Whether the folder, or the user's rights to it, do not allow the change.
    package var isRefusal: Bool { [EACCES, EPERM, EROFS].contains(code) }

    /// Whether there is no room for what was to be written.
    package var isFull: Bool { [ENOSPC, EDQUOT].contains(code) }
}
