import CocoaFoundation

/// SHA-256 and SHA-512, as FIPS 180-4 defines them.
///
/// Version hashes are all that is hashed here: some kilobytes for a model. A cryptographic library would be more than
/// a third of what a client compiles, and SwiftPM compiles the C files of a build tool's libraries again in each test
/// run.
package enum SHA2 {
    /// The SHA-256 of some bytes: 32 bytes. O(n).
    ///
    /// A model of 300 entities has some 3,000 of them, each of one block or two: nothing is allocated but the result.
    package static func sha256(_ message: [UInt8]) -> Data {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64 + 8) { memory in
            let words = UnsafeMutableBufferPointer(rebasing: memory[0..<64])
            let state = UnsafeMutableBufferPointer(rebasing: memory[64...])
            _ = state.initialize(from: upperInitial)
            upperConstants.withUnsafeBufferPointer { constants in
                message.withUnsafeBytes { bytes in
                    let whole = bytes.count / 64 * 64
                    hash(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), state, words, constants)
                    // The rest, a bit, zeroes, and the length of the message in bits.
                    let rest = bytes.count - whole
                    withUnsafeTemporaryAllocation(byteCount: rest < 56 ? 64 : 128, alignment: 8) { end in
                        end.initializeMemory(as: UInt8.self, repeating: 0)
                        end.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[whole...]))
                        end[rest] = 0x80
                        let bits = UInt64(bytes.count) * 8
                        end.storeBytes(of: bits.bigEndian, toByteOffset: end.count - 8, as: UInt64.self)
                        hash(UnsafeRawBufferPointer(end), state, words, constants)
                    }
                }
            }
            for index in 0..<8 { state[index] = state[index].bigEndian }
            return Data(UnsafeRawBufferPointer(state))
        }
    }

    /// Adds whole blocks.
    private static func hash(
        _ bytes: UnsafeRawBufferPointer, _ state: UnsafeMutableBufferPointer<UInt32>,
        _ words: UnsafeMutableBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>
    ) {
        for block in stride(from: 0, to: bytes.count, by: 64) {
            for index in 0..<16 {
                let word = bytes.loadUnaligned(fromByteOffset: block + 4 * index, as: UInt32.self)
                words[index] = UInt32(bigEndian: word)
            }
            compress(state, words, constants)
        }
    }

    /// The SHA-512 of some bytes: 64 bytes. O(n).
    static func sha512(_ message: [UInt8]) -> Data {
        var state = initial
        let padded = padded(message, blockSize: 128)
        var words = [UInt64](repeating: 0, count: 80)
        padded.withUnsafeBytes { bytes in
            state.withUnsafeMutableBufferPointer { state in
                words.withUnsafeMutableBufferPointer { words in
                    constants.withUnsafeBufferPointer { constants in
                        for block in stride(from: 0, to: bytes.count, by: 128) {
                            for index in 0..<16 {
                                let word = bytes.loadUnaligned(
                                    fromByteOffset: block + 8 * index, as: UInt64.self)
                                words[index] = UInt64(bigEndian: word)
                            }
                            compress(state, words, constants)
                        }
                    }
                }
            }
        }
        return data(state)
    }

    /// The message, a bit, zeroes, and the length of the message in bits in the last eighth of a block.
    private static func padded(_ message: [UInt8], blockSize: Int) -> [UInt8] {
        let end = (message.count + 1 + blockSize / 8 + blockSize - 1) / blockSize * blockSize
        var padded = [UInt8](repeating: 0, count: end)
        padded.withUnsafeMutableBytes { bytes in
            message.withUnsafeBytes { bytes.copyMemory(from: $0) }
            bytes[message.count] = 0x80
            let bits = UInt64(message.count) * 8
            bytes.storeBytes(of: bits.bigEndian, toByteOffset: end - 8, as: UInt64.self)
        }
        return padded
    }

    private static func data<Word: FixedWidthInteger>(_ state: [Word]) -> Data {
        state.map(\.bigEndian).withUnsafeBytes { Data($0) }
    }

    // Written out for each word size, and without helpers: a build without optimisation calls every one. Eight rounds at a time need
    // not move the eight variables: each takes the place of the next. Plain pointers, since the bounds are constant.
    // swift-format-ignore
    private static func compress(
        _ state: UnsafeMutableBufferPointer<UInt32>, _ words: UnsafeMutableBufferPointer<UInt32>,
        _ constants: UnsafeBufferPointer<UInt32>
    ) {
        guard state.count >= 8, words.count >= 64, constants.count >= 64, let w = words.baseAddress,
            let k = constants.baseAddress
        else { preconditionFailure("A block of SHA-256 takes 64 words.") }
        var t = 16
        while t < 64 {
            let x = w[t &- 15], y = w[t &- 2]
            let s0 = (x &>> 7 | x &<< 25) ^ (x &>> 18 | x &<< 14) ^ (x &>> 3)
            let s1 = (y &>> 17 | y &<< 15) ^ (y &>> 19 | y &<< 13) ^ (y &>> 10)
            w[t] = w[t &- 16] &+ s0 &+ w[t &- 7] &+ s1
            t = t &+ 1
        }
        var a = state[0], b = state[1], c = state[2], d = state[3]
        var e = state[4], f = state[5], g = state[6], h = state[7]
        t = 0
        while t < 64 {
            h = h &+ ((e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7))
            h = h &+ (g ^ (e & (f ^ g))) &+ k[t] &+ w[t]
            d = d &+ h
            h = h &+ ((a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10))
            h = h &+ ((a & b) | (c & (a | b)))
            g = g &+ ((d &>> 6 | d &<< 26) ^ (d &>> 11 | d &<< 21) ^ (d &>> 25 | d &<< 7))
            g = g &+ (f ^ (d & (e ^ f))) &+ k[t &+ 1] &+ w[t &+ 1]
            c = c &+ g
            g = g &+ ((h &>> 2 | h &<< 30) ^ (h &>> 13 | h &<< 19) ^ (h &>> 22 | h &<< 10))
            g = g &+ ((h & a) | (b & (h | a)))
            f = f &+ ((c &>> 6 | c &<< 26) ^ (c &>> 11 | c &<< 21) ^ (c &>> 25 | c &<< 7))
            f = f &+ (e ^ (c & (d ^ e))) &+ k[t &+ 2] &+ w[t &+ 2]
            b = b &+ f
            f = f &+ ((g &>> 2 | g &<< 30) ^ (g &>> 13 | g &<< 19) ^ (g &>> 22 | g &<< 10))
            f = f &+ ((g & h) | (a & (g | h)))
            e = e &+ ((b &>> 6 | b &<< 26) ^ (b &>> 11 | b &<< 21) ^ (b &>> 25 | b &<< 7))
            e = e &+ (d ^ (b & (c ^ d))) &+ k[t &+ 3] &+ w[t &+ 3]
            a = a &+ e
            e = e &+ ((f &>> 2 | f &<< 30) ^ (f &>> 13 | f &<< 19) ^ (f &>> 22 | f &<< 10))
            e = e &+ ((f & g) | (h & (f | g)))
            d = d &+ ((a &>> 6 | a &<< 26) ^ (a &>> 11 | a &<< 21) ^ (a &>> 25 | a &<< 7))
            d = d &+ (c ^ (a & (b ^ c))) &+ k[t &+ 4] &+ w[t &+ 4]
            h = h &+ d
            d = d &+ ((e &>> 2 | e &<< 30) ^ (e &>> 13 | e &<< 19) ^ (e &>> 22 | e &<< 10))
            d = d &+ ((e & f) | (g & (e | f)))
            c = c &+ ((h &>> 6 | h &<< 26) ^ (h &>> 11 | h &<< 21) ^ (h &>> 25 | h &<< 7))
            c = c &+ (b ^ (h & (a ^ b))) &+ k[t &+ 5] &+ w[t &+ 5]
            g = g &+ c
            c = c &+ ((d &>> 2 | d &<< 30) ^ (d &>> 13 | d &<< 19) ^ (d &>> 22 | d &<< 10))
            c = c &+ ((d & e) | (f & (d | e)))
            b = b &+ ((g &>> 6 | g &<< 26) ^ (g &>> 11 | g &<< 21) ^ (g &>> 25 | g &<< 7))
            b = b &+ (a ^ (g & (h ^ a))) &+ k[t &+ 6] &+ w[t &+ 6]
            f = f &+ b
            b = b &+ ((c &>> 2 | c &<< 30) ^ (c &>> 13 | c &<< 19) ^ (c &>> 22 | c &<< 10))
            b = b &+ ((c & d) | (e & (c | d)))
            a = a &+ ((f &>> 6 | f &<< 26) ^ (f &>> 11 | f &<< 21) ^ (f &>> 25 | f &<< 7))
            a = a &+ (h ^ (f & (g ^ h))) &+ k[t &+ 7] &+ w[t &+ 7]
            e = e &+ a
            a = a &+ ((b &>> 2 | b &<< 30) ^ (b &>> 13 | b &<< 19) ^ (b &>> 22 | b &<< 10))
            a = a &+ ((b & c) | (d & (b | c)))
            t = t &+ 8
        }
        state[0] &+= a; state[1] &+= b; state[2] &+= c; state[3] &+= d
        state[4] &+= e; state[5] &+= f; state[6] &+= g; state[7] &+= h
    }

    // swift-format-ignore
    private static func compress(
        _ state: UnsafeMutableBufferPointer<UInt64>, _ w: UnsafeMutableBufferPointer<UInt64>,
        _ k: UnsafeBufferPointer<UInt64>
    ) {
        for t in 16..<80 {
            let x = w[t &- 15], y = w[t &- 2]
            let s0 = (x &>> 1 | x &<< 63) ^ (x &>> 8 | x &<< 56) ^ (x &>> 7)
            let s1 = (y &>> 19 | y &<< 45) ^ (y &>> 61 | y &<< 3) ^ (y &>> 6)
            w[t] = w[t &- 16] &+ s0 &+ w[t &- 7] &+ s1
        }
        var a = state[0], b = state[1], c = state[2], d = state[3]
        var e = state[4], f = state[5], g = state[6], h = state[7]
        for t in 0..<80 {
            let s1 = (e &>> 14 | e &<< 50) ^ (e &>> 18 | e &<< 46) ^ (e &>> 41 | e &<< 23)
            let t1 = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ k[t] &+ w[t]
            let s0 = (a &>> 28 | a &<< 36) ^ (a &>> 34 | a &<< 30) ^ (a &>> 39 | a &<< 25)
            let t2 = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
            h = g; g = f; f = e; e = d &+ t1; d = c; c = b; b = a; a = t1 &+ t2
        }
        state[0] &+= a; state[1] &+= b; state[2] &+= c; state[3] &+= d
        state[4] &+= e; state[5] &+= f; state[6] &+= g; state[7] &+= h
    }

    private static let upperInitial = initial.map { UInt32(truncatingIfNeeded: $0 >> 32) }
    private static let upperConstants = constants.prefix(64).map { UInt32(truncatingIfNeeded: $0 >> 32) }

    /// The first 64 bits after the point of the square roots of the first 8 primes; SHA-256 has the upper half.
    // swift-format-ignore
    private static let initial: [UInt64] = [
        0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
        0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179,
    ]

    /// The same of the cube roots of the first 80 primes; SHA-256 has the upper half of the first 64.
    // swift-format-ignore
    private static let constants: [UInt64] = [
        0x428A_2F98_D728_AE22, 0x7137_4491_23EF_65CD, 0xB5C0_FBCF_EC4D_3B2F, 0xE9B5_DBA5_8189_DBBC,
        0x3956_C25B_F348_B538, 0x59F1_11F1_B605_D019, 0x923F_82A4_AF19_4F9B, 0xAB1C_5ED5_DA6D_8118,
        0xD807_AA98_A303_0242, 0x1283_5B01_4570_6FBE, 0x2431_85BE_4EE4_B28C, 0x550C_7DC3_D5FF_B4E2,
        0x72BE_5D74_F27B_896F, 0x80DE_B1FE_3B16_96B1, 0x9BDC_06A7_25C7_1235, 0xC19B_F174_CF69_2694,
        0xE49B_69C1_9EF1_4AD2, 0xEFBE_4786_384F_25E3, 0x0FC1_9DC6_8B8C_D5B5, 0x240C_A1CC_77AC_9C65,
        0x2DE9_2C6F_592B_0275, 0x4A74_84AA_6EA6_E483, 0x5CB0_A9DC_BD41_FBD4, 0x76F9_88DA_8311_53B5,
        0x983E_5152_EE66_DFAB, 0xA831_C66D_2DB4_3210, 0xB003_27C8_98FB_213F, 0xBF59_7FC7_BEEF_0EE4,
        0xC6E0_0BF3_3DA8_8FC2, 0xD5A7_9147_930A_A725, 0x06CA_6351_E003_826F, 0x1429_2967_0A0E_6E70,
        0x27B7_0A85_46D2_2FFC, 0x2E1B_2138_5C26_C926, 0x4D2C_6DFC_5AC4_2AED, 0x5338_0D13_9D95_B3DF,
        0x650A_7354_8BAF_63DE, 0x766A_0ABB_3C77_B2A8, 0x81C2_C92E_47ED_AEE6, 0x9272_2C85_1482_353B,
        0xA2BF_E8A1_4CF1_0364, 0xA81A_664B_BC42_3001, 0xC24B_8B70_D0F8_9791, 0xC76C_51A3_0654_BE30,
        0xD192_E819_D6EF_5218, 0xD699_0624_5565_A910, 0xF40E_3585_5771_202A, 0x106A_A070_32BB_D1B8,
        0x19A4_C116_B8D2_D0C8, 0x1E37_6C08_5141_AB53, 0x2748_774C_DF8E_EB99, 0x34B0_BCB5_E19B_48A8,
        0x391C_0CB3_C5C9_5A63, 0x4ED8_AA4A_E341_8ACB, 0x5B9C_CA4F_7763_E373, 0x682E_6FF3_D6B2_B8A3,
        0x748F_82EE_5DEF_B2FC, 0x78A5_636F_4317_2F60, 0x84C8_7814_A1F0_AB72, 0x8CC7_0208_1A64_39EC,
        0x90BE_FFFA_2363_1E28, 0xA450_6CEB_DE82_BDE9, 0xBEF9_A3F7_B2C6_7915, 0xC671_78F2_E372_532B,
        0xCA27_3ECE_EA26_619C, 0xD186_B8C7_21C0_C207, 0xEADA_7DD6_CDE0_EB1E, 0xF57D_4F7F_EE6E_D178,
        0x06F0_67AA_7217_6FBA, 0x0A63_7DC5_A2C8_98A6, 0x113F_9804_BEF9_0DAE, 0x1B71_0B35_131C_471B,
        0x28DB_77F5_2304_7D84, 0x32CA_AB7B_40C7_2493, 0x3C9E_BE0A_15C9_BEBC, 0x431D_67C4_9C10_0D4C,
        0x4CC5_D4BE_CB3E_42B6, 0x597F_299C_FC65_7E2A, 0x5FCB_6FAB_3AD6_FAEC, 0x6C44_198C_4A47_5817,
    ]
}
