import Testing

@testable import ManagedObjectModel
