import Dispatch

// The jobs of actors and tasks on the queue of a context, each as an event of its own.

extension ContextQueue: SerialExecutor, TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        async {
            guard let owner = self.owner else { return self.run(job) }
            owner.runEvent { self.run(job) }
        }
    }

    private func run(_ job: UnownedJob) {
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }

    /// Lets `assumeIsolated` pass where the queue is the current one for another reason: inside `performAndWait(_:)`.
    func checkIsolated() {
        require(isCurrent, "The code does not run on the queue of the context that its actor works with.")
    }
}
