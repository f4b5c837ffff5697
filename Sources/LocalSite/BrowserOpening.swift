import Foundation

/// The browser of the person at this computer.
package enum BrowserOpening {
    #if os(macOS)
    private static let command = "open"
    #else
    private static let command = "xdg-open"
    #endif

    /// Opens an address.
    ///
    /// - Returns: whether there is a program that opens addresses; whether a browser appears is unknown.
    @discardableResult
    package static func open(_ address: String) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard
            let path = folders.map({ "\($0)/\(command)" }).first(where: {
                FileManager.default.isExecutableFile(atPath: $0)
            })
        else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = [address]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            return true
        } catch {
            return false
        }
    }
}
