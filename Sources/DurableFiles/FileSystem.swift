import Synchronization

/// Which calls this package uses to change files.
package enum FileSystem {
    /// Those of the running task, and of what it calls without leaving its thread; nil for those of the process.
    @TaskLocal package static var taskCalls: (any FileCalls)?

    private static let processCalls = Mutex<any FileCalls>(SystemFileCalls())

    /// Replaces the calls of the whole process: for a program that tests what happens when they fail.
    package static func use(_ calls: any FileCalls) { processCalls.withLock { $0 = calls } }

    static var calls: any FileCalls { taskCalls ?? processCalls.withLock { $0 } }
}
