import Foundation

/// Something that reads bytes which may come from anyone, and must come back from whatever they are.
package struct FuzzedSubject {
    /// The name, also of the folder with the first inputs and of the file with the words of its language.
    package let name: String
    /// The length that inputs may have.
    package let longestInput: Int
    /// How long the reading of one input may take, in seconds: far longer than it does, since machines that check memory
    /// are slow and may have other work.
    package let seconds: Int
    /// Reads an input. An error is an answer; what is a finding is a trap, a report on memory, too much time or memory.
    package let read: (Data) throws -> Void

    package init(
        _ name: String, longestInput: Int = 4096, seconds: Int = 10, read: @escaping (Data) throws -> Void
    ) {
        self.name = name
        self.longestInput = longestInput
        self.seconds = seconds
        self.read = read
    }
}

/// Makes a finding of an answer that contradicts another one.
package func mustHold(
    _ condition: @autoclosure () throws -> Bool, _ what: String, file: StaticString = #file,
    line: UInt = #line
) rethrows {
    let holds = try condition()
    precondition(holds, what, file: file, line: line)
}
