import CoreData
import Synchronization

/// Notifies listeners that something in the document changed: values, or what there is to undo or to save.
final class DocumentNews: Sendable {
    private struct State {
        var count = 0
        var listeners: [UUID: AsyncStream<Void>.Continuation] = [:]
        nonisolated(unsafe) var observers: [any NSObjectProtocol] = []
    }

    private let state = Mutex(State())
    private let launch = String(UInt32.random(in: 0...UInt32.max), radix: 36)

    deinit {
        state.withLock { state in
            for observer in state.observers { NotificationCenter.default.removeObserver(observer) }
            for listener in state.listeners.values { listener.finish() }
        }
    }

    /// Follows a context.
    ///
    /// - Parameter changed: called on the context's queue, before the listeners.
    func follow(_ context: NSManagedObjectContext, changed: @escaping @Sendable () -> Void) {
        for name in [
            NSManagedObjectContext.didChangeObjectsNotification,
            NSManagedObjectContext.didSaveObjectsNotification,
        ] {
            let observer = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil)
            {
                [weak self] _ in
                changed()
                self?.notify()
            }
            state.withLock { $0.observers.append(observer) }
        }
    }

    /// A mark of the document's state: it is another one after each change, and in each run of the program.
    var revision: String { state.withLock { "\(launch)-\($0.count)" } }

    /// One element for each change from now on. Changes that come faster than they are taken count as one.
    func changes() -> AsyncStream<Void> {
        let id = UUID()
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.listeners[id] = continuation }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    private func notify() {
        let listeners = state.withLock { state in
            state.count += 1
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield() }
    }
}
