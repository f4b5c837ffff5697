import Foundation
import Testing

@testable import ManagedObjectModel

/// SHA-256 and SHA-512 of the examples of FIPS 180 and of messages around the ends of blocks.
@Suite struct SHA2Tests {
    private static func hex(_ data: Data) -> String {
        data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static let twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    private static let twoLargeBlocks =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
        + "nopqrstu"

    @Test(
        "SHA-256 gives the digests of FIPS 180",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (twoBlocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        ])
    func sha256(text: String, digest: String) {
        #expect(Self.hex(SHA2.sha256(Array(text.utf8))) == digest)
    }

    @Test(
        "SHA-512 gives the digests of FIPS 180",
        arguments: [
            (
                "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (
                twoLargeBlocks,
                "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                    + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
            ),
        ])
    func sha512(text: String, digest: String) {
        #expect(Self.hex(SHA2.sha512(Array(text.utf8))) == digest)
    }

    /// Every length from nothing to two blocks, hashed together: each is padded in another way.
    @Test("SHA-256 and SHA-512 pad messages of every length up to two blocks")
    func everyLength() {
        let digests256 = (0...256).flatMap { SHA2.sha256([UInt8](repeating: 0x61, count: $0)) }
        #expect(
            Self.hex(SHA2.sha256(digests256))
                == "f8cb1ba7990f24485f9a571a9f3abbf38b2e611e9b4566f5aa8b0c98ad6a65ac")
        let digests512 = (0...256).flatMap { SHA2.sha512([UInt8](repeating: 0x61, count: $0)) }
        #expect(
            Self.hex(SHA2.sha512(digests512))
                == "ed1353a0438b89b75558cf245079f260b8fcf3885c8105a8fc8ef37dc4ab03b3"
                + "5d19c591d2a311be6a4ee992b8fcd52e50acef4736a9d2a5dad76096a4c970c8")
    }
}
