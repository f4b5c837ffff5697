import CoreData
import Testing

/// Runs every test of a suite once for each of several store types; `TestStack` makes stores of that type.
struct StoreKindTrait: SuiteTrait, TestTrait, TestScoping {
    let kinds: [StoreKind]
    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> StoreKindTrait? {
        testCase == nil ? nil : self
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        for kind in kinds {
            let naming: IssueHandlingTrait = .compactMapIssues { issue in
                var issue = issue
                issue.comments.append("with the store type \(kind)")
                return issue
            }
            try await naming.provideScope(for: test, testCase: testCase) {
                await StoreKind.$current.withValue(kind) {
                    do { try await function() } catch { Issue.record(error) }
                }
            }
        }
    }
}

extension Trait where Self == StoreKindTrait {
    /// Runs the tests on stores of all types of the framework.
    static var onEveryStore: StoreKindTrait { StoreKindTrait(kinds: StoreKind.with(.isBuiltIn)) }

    /// Runs the tests on stores of these types.
    static func on(_ kinds: StoreKind...) -> StoreKindTrait { StoreKindTrait(kinds: kinds) }
}
