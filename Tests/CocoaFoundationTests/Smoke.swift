import Testing

@testable import CocoaFoundation
