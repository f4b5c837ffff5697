import Foundation

// What programs for Apple's platforms call of Foundation and the runtime, and Foundation does not have elsewhere.

#if !canImport(ObjectiveC)
/// Runs a block. There are no autorelease pools without an Objective-C runtime: objects are released when their last reference
/// goes.
///
/// - Returns: what the block returns.
/// - Throws: what the block throws.
public func autoreleasepool<Result, Failure: Error>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try body()
}

/// A moment in seconds since the beginning of 2001, in Greenwich.
public typealias CFAbsoluteTime = Double

/// The moment now.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }

extension UserDefaults {
    /// The value of a key; nil when there is none. The same as `object(forKey:)`.
    public func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Sets the value of a key, or removes it with nil. The same as `set(_:forKey:)`.
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
}

extension Bundle {
    /// The files of a folder of the bundle that have an extension, as URLs; Foundation's own method gives `[NSURL]` here, and
    /// is called where either fits.
    ///
    /// - Parameters:
    ///   - ext: the extension without its dot; nil for all files.
    ///   - subpath: the folder; nil for the bundle's own.
    @_disfavoredOverload
    public func urls(forResourcesWithExtension ext: String?, subdirectory subpath: String?) -> [URL]? {
        let found: [NSURL]? = urls(forResourcesWithExtension: ext, subdirectory: subpath)
        return found.map { $0.map { $0 as URL } }
    }
}
#endif
