import Foundation

extension NSObject {
    /// The class itself. Apple's classes, which are objects, have the method of their instances.
    public class func classForCoder() -> AnyClass { self }
}
