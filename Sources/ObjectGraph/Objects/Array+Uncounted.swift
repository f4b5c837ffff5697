/// Loops over many objects that count no reference of each: the array keeps them meanwhile.
extension Array where Element: NSManagedObject {
    /// Calls `body` with each object, in order.
    @inline(__always)
    func forEachUncounted(_ body: (Element) throws -> Void) rethrows {
        try withUncounted { objects in
            for object in objects { try object._withUnsafeGuaranteedRef { try body($0) } }
        }
    }

    /// Calls `body` with the objects as plain pointers, which are good until it returns.
    @inline(__always)
    func withUncounted<Result>(
        _ body: (UnsafeBufferPointer<Unmanaged<Element>>) throws -> Result
    ) rethrows -> Result {
        try withUnsafeBufferPointer { objects in
            try objects.withMemoryRebound(to: Unmanaged<Element>.self) { try body($0) }
        }
    }
}
