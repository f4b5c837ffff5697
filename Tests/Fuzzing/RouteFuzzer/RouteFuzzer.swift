import FuzzerDriver

/// The fuzzer of what the pages of commands ask.
@main
enum RouteFuzzer {
    static func main() { FuzzerDriver.run([BrowserRequests.subject, EditorRequests.subject]) }
}
