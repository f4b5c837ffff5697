import CSwiftRuntime

/// Loops over many objects that count no reference of each: the array keeps them meanwhile.
extension Array where Element: NSManagedObject {
    /// Calls `body` with each object, in order. Of very many the objects are far away: each is brought near before its turn.
    @inline(__always)
    func forEachUncounted(_ body: (Element) throws -> Void) rethrows {
        try withUncounted { objects in
            for index in objects.indices {
                if index + 8 < objects.count { objects[index + 8].approach() }
                try objects[index]._withUnsafeGuaranteedRef { try body($0) }
            }
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

extension Unmanaged where Instance: NSManagedObject {
    /// Has the object brought near.
    @inline(__always)
    func approach() {
        coredata_prefetch(toOpaque())
        coredata_prefetch(toOpaque() + 64)
    }
}
