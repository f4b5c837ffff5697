import Foundation
import Testing

/// A run of `coredata`, or of another program of the package; they lie beside the tests.
struct Command {
    let status: Int32
    let output: String
    let errors: String

    /// - Parameters:
    ///   - arguments: what comes after `coredata`.
    ///   - folder: the working folder.
    ///   - program: the name of the program.
    init(_ arguments: String..., in folder: URL? = nil, program: String = "coredata") throws {
        try self.init(arguments, in: folder, program: program)
    }

    init(_ arguments: [String], in folder: URL? = nil, program: String = "coredata") throws {
        let process = Process()
        process.executableURL = Self.folder.appendingPathComponent(program)
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = folder }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // Both pipes at once: a program that fills one of them waits for its reader.
        nonisolated(unsafe) var errorData = Data()
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            errorData = errors.fileHandleForReading.readDataToEndOfFile()
            done.signal()
        }
        let outputData = output.fileHandleForReading.readDataToEndOfFile()
        done.wait()
        process.waitUntilExit()
        status = process.terminationStatus
        self.output = String(decoding: outputData, as: UTF8.self)
        self.errors = String(decoding: errorData, as: UTF8.self)
    }

    /// The exit status of a run whose output goes into a file or device.
    static func status(_ arguments: String..., writingTo path: String) throws -> Int32 {
        let process = Process()
        process.executableURL = folder.appendingPathComponent("coredata")
        process.arguments = arguments
        process.standardOutput = FileHandle(forWritingAtPath: path)
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(output.utf8))
    }

    private static var folder: URL {
        // The tests are a program of their own in the folder of all products.
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    }
}
