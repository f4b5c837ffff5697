/// Stops the program with a message when it broke a rule of the interface.
///
/// Apple's frameworks raise an exception there, with a message. `precondition` keeps its message in debug builds only,
/// and a message that says what to do is the point.
@inline(__always)
package func require(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String, file: StaticString = #file,
    line: UInt = #line
) {
    if !condition() { fatalError(message(), file: file, line: line) }
}
