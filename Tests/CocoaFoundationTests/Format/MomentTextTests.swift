import CocoaFoundation
import TestSupport
import Testing

@Suite struct MomentTextTests {
    @Test(
        "A date has its ISO 8601 form and is read from it",
        arguments: [
            (0.0, "2001-01-01T00:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
            (-0.25, "2000-12-31T23:59:59.75Z"), (0.5, "2001-01-01T00:00:00.5Z"),
            (731_462_400.125, "2024-03-07T00:00:00.125Z"), (94_608_000 + 59 * 86400, "2004-02-29T00:00:00Z"),
            (-63_113_904_000, "0001-01-01T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
        ] as [(Double, String)])
    func textIsThatOfTheMoment(_ seconds: Double, _ text: String) {
        #expect(MomentText.text(seconds) == text)
        #expect(MomentText.seconds(text) == seconds)
    }

    @Test("A date without a four-digit year, and a malformed one, is nil")
    func unwritableMomentsAreNil() {
        for seconds in [
            Double.nan, .infinity, -0.0, Double.leastNonzeroMagnitude, 252_423_993_600, -63_113_904_001,
            1e300,
        ] {
            #expect(MomentText.text(seconds) == nil, "\(seconds)")
        }
        for text in [
            "", "2001-01-01", "2001-02-30T00:00:00Z", "2001-13-01T00:00:00Z", "2001-01-01T24:00:00Z",
            "0000-01-01T00:00:00Z", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00+01:00",
        ] { #expect(MomentText.seconds(text) == nil, "\(text)") }
    }

    @Test("A date that has a form is read back bit by bit")
    func everyBitComesBack() throws {
        var numbers = SeededNumbers(seed: 1)
        var reported = 0
        for _ in 0..<5000 {
            let scale = [1.0, 1e3, 1e6, 1e9, 2e11][Int.random(in: 0..<5, using: &numbers)]
            let seconds = Double.random(in: -1...1, using: &numbers) * scale
            guard let text = MomentText.text(seconds) else { continue }
            reported += 1
            #expect(MomentText.seconds(text)?.bitPattern == seconds.bitPattern, "\(seconds) \(text)")
        }
        #expect(reported > 4000)
    }
}
