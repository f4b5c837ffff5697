import Foundation

/// Why a command could not do its work: a sentence for the user.
struct CommandFailure: Error, CustomStringConvertible {
    static let exitCode: Int32 = 2

    let reason: String

    init(_ reason: String) { self.reason = reason }

    init(_ error: any Error) {
        let text = (error as? any LocalizedError)?.errorDescription ?? error.localizedDescription
        // Foundation's sentences name no file.
        let path = (error as? CocoaError).flatMap { $0.filePath ?? $0.url?.path }
        reason = path.map { text.contains($0) ? text : "\($0): \(text)" } ?? text
    }

    var description: String { "error: \(reason)" }

    /// Runs something, and turns its error into a failure of the command.
    static func wrapping<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let failure as CommandFailure { throw failure } catch {
            throw CommandFailure(error)
        }
    }
}
