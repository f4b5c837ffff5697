import Foundation
import Synchronization

/// A process that works on the store until its input ends, or until it is killed.
final class WorkerProcess: @unchecked Sendable {
    let life: StressLedger.Life
    private let process: Process
    private let input = Pipe()
    private let output: Mutex<String?> = Mutex(nil)
    private let isRead = DispatchSemaphore(value: 0)

    init(_ program: URL, _ life: StressLedger.Life, _ file: URL, seed: UInt64) throws {
        self.life = life
        process = Process()
        process.executableURL = program
        process.arguments = ["worker", file.path, "\(life.worker)", "\(life.generation)", "\(seed)"]
        let pipe = Pipe()
        process.standardInput = input
        process.standardOutput = pipe
        try process.run()
        let handle = pipe.fileHandleForReading
        // A full pipe would stop the process; and a thread for each, so that none waits for another.
        Thread.detachNewThread { [self] in
            let data = handle.readDataToEndOfFile()
            output.withLock { $0 = String(decoding: data, as: UTF8.self) }
            isRead.signal()
        }
    }

    /// Ends the process wherever it is.
    ///
    /// - Returns: what it wrote.
    func kill() -> String {
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        return wait().output
    }

    /// Lets the process end its step.
    func finish() { try? input.fileHandleForWriting.close() }

    /// Waits for the end; what the process wrote, and its exit status, nil when a signal ended it.
    func wait() -> (output: String, status: Int32?) {
        process.waitUntilExit()
        isRead.wait()
        isRead.signal()
        let status = process.terminationReason == .exit ? process.terminationStatus : nil
        return (output.withLock { $0 } ?? "", status)
    }
}
