import CSwiftRuntime

/// Releases objects of a thread one after the other.
///
/// Objects without other owners can hold each other in a chain, as long as a table is, and so can the nodes of an atomic store.
/// Nested releases of such a chain would overflow the stack.
final class ReleaseQueue {
    private var values: [ContiguousArray<SlotValue>] = []
    private var contents: [AnyObject?] = []

    /// Releases an object's values.
    static func release(_ values: inout ContiguousArray<SlotValue>, _ layout: EntityLayout) {
        guard holdsObjects(values, layout) else {
            values = []
            return
        }
        collecting { $0.take(&values) }
    }

    /// Releases the contents of a node.
    static func release(_ contents: inout AnyObject?) { collecting { $0.take(&contents) } }

    // What is taken must have no other owner, not even a variable of the caller: it would be released outside of the queue.

    private func take(_ going: inout ContiguousArray<SlotValue>) {
        values.append([])
        swap(&values[values.count - 1], &going)
    }

    private func take(_ going: inout AnyObject?) {
        contents.append(nil)
        swap(&contents[contents.count - 1], &going)
    }

    /// Runs a block that releases values of very many objects, with one queue for all of them.
    ///
    /// - Parameter body: calls its argument to release what the queue has, after each object.
    static func sharing(_ body: (_ empty: () -> Void) -> Void) {
        guard coredata_releasing() == nil else { return body {} }
        let queue = ReleaseQueue()
        coredata_set_releasing(Unmanaged.passUnretained(queue).toOpaque())
        body(queue.empty)
        queue.empty()
        coredata_set_releasing(nil)
        withExtendedLifetime(queue) {}
    }

    /// Puts something into the queue of the thread, which the outermost call empties.
    private static func collecting(_ put: (ReleaseQueue) -> Void) {
        if let running = coredata_releasing() {
            put(Unmanaged<ReleaseQueue>.fromOpaque(running).takeUnretainedValue())
            return
        }
        let queue = ReleaseQueue()
        coredata_set_releasing(Unmanaged.passUnretained(queue).toOpaque())
        put(queue)
        queue.empty()
        coredata_set_releasing(nil)
        withExtendedLifetime(queue) {}
    }

    private func empty() {
        // An object released here puts its contents into the queue.
        while !isEmpty {
            _ = values.popLast()
            _ = contents.popLast()
        }
    }

    private var isEmpty: Bool { values.isEmpty && contents.isEmpty }

    private static func holdsObjects(_ values: ContiguousArray<SlotValue>, _ layout: EntityLayout) -> Bool {
        for slot in layout.relationshipIndexes where slot < values.count {
            switch values[slot] {
            case .object, .toMany: return true
            default: continue
            }
        }
        return false
    }
}
