/// The work and the rests of an indexing in the background, which nothing waits for.
///
/// Used on one thread.
final class IndexingTurn {
    /// What an indexing does, which decides how much of the time it rests while saves come.
    enum Share {
        /// The first indexing, of all objects.
        case building
        /// That of changes, which should not fall behind those who make them.
        case following

        /// How long an indexing rests, as a multiple of the time that it has worked.
        fileprivate var rest: UInt64 {
            switch self {
            case .building: 19
            case .following: 1
            }
        }
    }

    /// A rest comes after so much work.
    private static let work: UInt64 = 1_000_000
    /// After such a time a step rests no more, and ends after the objects that it has read if it has rested: others may be waiting to
    /// change the index.
    private static let longestStep: UInt64 = 2_000_000_000
    /// So long they get the index then: SQLite looks every tenth of a second whether it can write.
    private static let leastBetweenSteps: UInt64 = 150_000_000
    /// So long changes are gathered at least: one by one they cost more.
    private static let leastGathering: UInt64 = 10_000_000

    private let pace: IndexingPace
    let isCancelled: () -> Bool
    /// What the running step does, or the last one has done.
    var share = Share.building
    private var canRest = false
    private var stepBegin: UInt64 = 0
    private var workBegin = IndexingPace.now
    private var hasRested = false

    init(_ pace: IndexingPace, isCancelled: @escaping () -> Bool) {
        self.pace = pace
        self.isCancelled = isCancelled
    }

    /// Called when a step has the index.
    ///
    /// - Parameter canRest: whether there may be rests until the step has ended.
    func beginStep(canRest: Bool) {
        self.canRest = canRest
        share = .building
        stepBegin = IndexingPace.now
        workBegin = stepBegin
        hasRested = false
    }

    /// Called between two objects.
    func rest() {
        guard canRest else { return }
        let now = IndexingPace.now
        let worked = now - workBegin
        let step = now - stepBegin
        guard worked >= Self.work, step < Self.longestStep else { return }
        workBegin = now
        let time = min(worked * share.rest, Self.longestStep - step)
        guard pace.rest(time, isCancelled: isCancelled) else { return }
        hasRested = true
        workBegin = IndexingPace.now
    }

    /// Whether the step is to end before its time.
    var endsStep: Bool { hasRested && IndexingPace.now - stepBegin >= Self.longestStep }

    /// Called when the index is up to date.
    func restAfterLastStep() {
        let worked = IndexingPace.now - workBegin
        pace.rest(max(worked * share.rest, Self.leastGathering), isCancelled: isCancelled)
    }

    /// Called between two steps, while no thread of this process is changing the index.
    func restBetweenSteps() {
        let worked = IndexingPace.now - workBegin
        pace.rest(max(worked * share.rest, Self.leastBetweenSteps), isCancelled: isCancelled)
    }
}
