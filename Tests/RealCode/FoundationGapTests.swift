import CoreData
import Testing

/// What programs call of Foundation that it has on Apple's platforms only.
@MainActor @Suite struct FoundationGapTests {
    private final class Listener {
        var heard: [String] = []
        func hear(_ note: Notification) { heard.append(note.name.rawValue) }
    }

    @Test("An observer with a method receives notifications until it is removed")
    func observersWithMethods() {
        let center = NotificationCenter()
        let listener = Listener()
        let one = NSObject()
        center._addObserver(listener, name: Notification.Name("a"), object: one) { $0.hear($1) }
        center._addObserver(listener, name: Notification.Name("b"), object: nil) { $0.hear($1) }
        center.post(name: Notification.Name("a"), object: one)
        center.post(name: Notification.Name("a"), object: NSObject())
        center.post(name: Notification.Name("b"), object: nil)
        #expect(listener.heard == ["a", "b"])
        center.removeObserver(listener, name: Notification.Name("a"), object: nil)
        center.post(name: Notification.Name("a"), object: one)
        center.post(name: Notification.Name("b"), object: nil)
        #expect(listener.heard == ["a", "b", "b"])
        center.removeObserver(listener)
        center.post(name: Notification.Name("b"), object: nil)
        #expect(listener.heard.count == 3)
    }

    @Test("An observer with a method is not retained")
    func observersAreNotRetained() {
        let center = NotificationCenter()
        weak var gone: Listener?
        do {
            let listener = Listener()
            gone = listener
            center._addMainActorObserver(listener, name: nil, object: nil) { $0.hear($1) }
            center.post(name: Notification.Name("a"), object: nil)
            #expect(listener.heard == ["a"])
        }
        #expect(gone == nil)
        center.post(name: Notification.Name("a"), object: nil)
    }

    @Test("A method of the main actor is called on the thread that posts")
    func methodsOfTheMainActor() async {
        let center = NotificationCenter()
        let listener = Listener()
        center._addMainActorObserver(listener, name: nil, object: nil) { $0.hear($1) }
        await Task.detached { center.post(name: Notification.Name("a"), object: nil) }.value
        #expect(listener.heard == ["a"])
    }

    @Test("Removing the token of an observer by closure still ends its notifications")
    func tokensAreRemoved() {
        let center = NotificationCenter()
        let listener = Listener()
        nonisolated(unsafe) let heard = listener
        let token = center.addObserver(forName: Notification.Name("a"), object: nil, queue: nil) {
            heard.hear($0)
        }
        center.removeObserver(token)
        center.post(name: Notification.Name("a"), object: nil)
        #expect(listener.heard.isEmpty)
    }

    @Test("Notifications come as an asynchronous sequence")
    func notificationsAreASequence() async {
        let center = NotificationCenter()
        var notes = center.notifications(named: Notification.Name("a")).makeAsyncIterator()
        center.post(name: Notification.Name("b"), object: nil)
        center.post(name: Notification.Name("a"), object: nil, userInfo: ["n": 1])
        #expect(await notes.next()?.userInfo?["n"] as? Int == 1)
    }

    @Test("Small functions of Apple's Foundation exist")
    func functionsAreThere() {
        #expect(autoreleasepool { 1 } == 1)
        #expect(CFAbsoluteTimeGetCurrent() > 700_000_000)
        // Registered defaults are in no file.
        UserDefaults.standard.register(defaults: ["RealCode.number": 3])
        #expect(UserDefaults.standard.value(forKey: "RealCode.number") as? Int == 3)
        #expect(UserDefaults.standard.value(forKey: "RealCode.nothing") == nil)
        let urls: [URL]? = Bundle.main.urls(forResourcesWithExtension: "none", subdirectory: nil)
        #expect(urls ?? [] == [])
        #expect(KeyPathNames.name(of: \NSManagedObject.self) == "self")
    }
}
