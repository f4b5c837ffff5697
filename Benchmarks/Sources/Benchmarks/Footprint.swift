import CMalloc
import Foundation

/// The memory that this process takes.
enum Footprint {
    /// The bytes that the allocator has given out and not got back; nil where it does not say.
    static var allocated: Int? {
        let bytes = allocated_bytes()
        return bytes < 0 ? nil : Int(bytes)
    }

    /// The most memory that was resident since `reset()`, in bytes; nil where the system does not say.
    static var peak: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap(
                { Int($0) })
        else { return nil }
        return kilobytes * 1024
    }

    /// Begins to look for the peak anew, having given free memory back.
    ///
    /// - Returns: false where the system does not allow it.
    static func reset() -> Bool {
        release_free_memory()
        guard let file = fopen("/proc/self/clear_refs", "w") else { return false }
        defer { fclose(file) }
        return fputs("5", file) >= 0 && fflush(file) == 0
    }
}
