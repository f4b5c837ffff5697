import Foundation
import ProcessStress
import Testing

/// Operations on stores that fail for want of something: the store is as it was, the process agrees with it, and the same
/// works when what was wanted is there again. `scripts/stress-shortages` tries every point.
@Suite struct ShortageTests {
    private func run(_ resource: ResourceKind, _ operation: OperationKind) throws {
        let folder = try TestFolder()
        let run = try Program(["shortage", resource.rawValue, operation.rawValue, folder.url.path])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test(
        "An operation that exceeds the file size limit leaves the store as it was",
        arguments: OperationKind.allCases)
    func fileSize(_ operation: OperationKind) throws { try run(.fileSize, operation) }

    @Test(
        "An operation in a folder that is not writable leaves the store as it was",
        arguments: OperationKind.allCases)
    func folder(_ operation: OperationKind) throws { try run(.folder, operation) }

    @Test(
        "An operation without a free file descriptor leaves the store as it was",
        arguments: OperationKind.allCases)
    func descriptors(_ operation: OperationKind) throws { try run(.descriptors, operation) }

    @Test(
        "An operation in which an allocation of SQLite fails leaves the store as it was",
        arguments: OperationKind.onOpenStores)
    func allocation(_ operation: OperationKind) throws { try run(.allocation, operation) }

    /// A disk of the test's own, which only the superuser can make, and which goes with the process that has it.
    private static let shell = URL(fileURLWithPath: "/bin/sh")
    private static let mount =
        #"exec unshare -m sh -c 'mount -t tmpfs -o size=12m tmpfs "$0" && exec "$@"' "$0" "$@""#
    private static let hasDisks: Bool = {
        guard let folder = try? TestFolder() else { return false }
        let run = try? Program(["-c", mount, folder.url.path, "true"], program: shell)
        return run?.status == 0
    }()

    @Test(
        "An operation on a full disk leaves the store as it was",
        .enabled(if: hasDisks, "This user may not mount a disk of its own; the limit on sizes is tried."),
        arguments: OperationKind.allCases)
    func disk(_ operation: OperationKind) throws {
        let folder = try TestFolder()
        let run = try Program(
            [
                "-c", Self.mount, folder.url.path, Program.runner.path, "shortage",
                ResourceKind.disk.rawValue,
                operation.rawValue, folder.url.path,
            ], program: Self.shell)
        #expect(run.status == 0, "\(run.output)")
    }
}
