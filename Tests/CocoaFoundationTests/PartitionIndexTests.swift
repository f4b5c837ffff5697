import Testing

@testable import CocoaFoundation

@Suite struct PartitionIndexTests {
    @Test("The index is that of the first element of the second part, wherever the parts meet")
    func firstOfTheSecondPart() {
        for count in 0...20 {
            let numbers = Array(0..<count)
            for border in 0...count {
                #expect(numbers.partitionIndex { $0 >= border } == border)
            }
        }
    }
}
