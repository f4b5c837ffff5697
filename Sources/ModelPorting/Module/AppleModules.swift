/// Modules that exist on Apple's platforms only.
enum AppleModules {
    static let names: Set<String> = [
        "ARKit", "AVFAudio", "AVFoundation", "AVKit", "Accelerate", "Accessibility", "Accounts",
        "ActivityKit",
        "AdServices", "AdSupport", "AddressBook", "AppIntents", "AppKit", "AppTrackingTransparency",
        "AppleArchive", "AudioToolbox", "AudioUnit", "AuthenticationServices", "BackgroundTasks",
        "BusinessChat", "CallKit", "CarPlay", "Charts", "ClassKit", "ClockKit", "CloudKit", "Cocoa",
        "Combine", "CommonCrypto", "Contacts", "ContactsUI", "CoreAudio", "CoreAudioKit", "CoreBluetooth",
        "CoreGraphics", "CoreHaptics", "CoreImage", "CoreLocation", "CoreLocationUI", "CoreMIDI", "CoreML",
        "CoreMedia", "CoreMotion", "CoreNFC", "CoreServices", "CoreSpotlight", "CoreTelephony", "CoreText",
        "CoreVideo", "CoreWLAN", "CreateML", "CryptoKit", "CryptoTokenKit", "Darwin", "DataDetection",
        "DeviceActivity", "DeviceCheck", "EventKit", "EventKitUI", "ExternalAccessory", "FamilyControls",
        "FileProvider", "GLKit", "GameController", "GameKit", "GameplayKit", "GroupActivities", "HealthKit",
        "HealthKitUI", "HomeKit", "IOKit", "IOSurface", "IdentityLookup", "ImageIO", "ImagePlayground",
        "Intents", "IntentsUI", "JavaScriptCore", "LinkPresentation", "LocalAuthentication",
        "LocalAuthenticationEmbeddedUI", "MLCompute", "MachO", "ManagedSettings", "MapKit", "MediaPlayer",
        "MessageUI", "Messages", "Metal", "MetalKit", "MetalPerformanceShaders", "MetricKit",
        "MobileCoreServices", "ModelIO", "MultipeerConnectivity", "MusicKit", "NaturalLanguage",
        "NearbyInteraction", "NetworkExtension", "NotificationCenter", "OSLog", "ObjectiveC", "PDFKit",
        "PassKit", "PencilKit", "Photos", "PhotosUI", "ProximityReader", "PushKit", "QuartzCore",
        "QuickLook", "QuickLookThumbnailing", "RealityKit", "ReplayKit", "RoomPlan", "SafariServices",
        "SceneKit", "ScreenCaptureKit", "ScreenTime", "ScriptingBridge", "Security", "SensorKit",
        "ServiceManagement", "ShazamKit", "Social", "SoundAnalysis", "Speech", "SpriteKit", "StoreKit",
        "SwiftData", "SwiftUI", "SystemConfiguration", "TVUIKit", "TipKit", "Translation", "UIKit",
        "UniformTypeIdentifiers", "UserNotifications", "UserNotificationsUI", "VideoToolbox", "Vision",
        "VisionKit", "WatchConnectivity", "WatchKit", "WeatherKit", "WebKit", "WidgetKit", "WorkoutKit",
        "os", "simd",
    ]

    /// Modules that come with Swift everywhere.
    static let everywhere: Set<String> = [
        "CoreData", "Cxx", "CxxStdlib", "Dispatch", "Distributed", "Foundation", "FoundationEssentials",
        "FoundationInternationalization", "FoundationNetworking", "FoundationXML", "Glibc", "Musl",
        "Observation", "RegexBuilder", "Swift", "Synchronization", "Testing", "XCTest", "_Concurrency",
        "_Differentiation", "_StringProcessing",
    ]

    /// Members that identify a source that works with publishers without naming a type of Combine's.
    static let publisherMembers: Set<String> = [
        "eraseToAnyPublisher", "objectWillChange", "publisher", "sink",
    ]

    /// What Foundation has in modules of their own here.
    static let partsOfFoundation: [(module: String, names: Set<String>)] = [
        (
            "FoundationNetworking",
            [
                "CachedURLResponse", "HTTPCookie", "HTTPCookieStorage", "HTTPURLResponse", "NSURLRequest",
                "URLAuthenticationChallenge", "URLCache", "URLCredential", "URLProtectionSpace",
                "URLProtocol",
                "URLRequest", "URLResponse", "URLSession", "URLSessionConfiguration",
                "URLSessionDataDelegate",
                "URLSessionDataTask", "URLSessionDelegate", "URLSessionDownloadTask", "URLSessionTask",
                "URLSessionTaskDelegate", "URLSessionUploadTask",
            ]
        ),
        (
            "FoundationXML",
            [
                "XMLDTD", "XMLDTDNode", "XMLDocument", "XMLElement", "XMLNode", "XMLParser",
                "XMLParserDelegate",
            ]
        ),
    ]

    /// What the names of a framework begin with.
    private static let prefixes = [
        "ARKit": "AR", "AVFoundation": "AV", "AVKit": "AV", "CloudKit": "CK", "Contacts": "CN",
        "CoreBluetooth": "CB", "CoreImage": "CI", "CoreLocation": "CL", "CoreMotion": "CM", "EventKit": "EK",
        "GameKit": "GK", "HealthKit": "HK", "HomeKit": "HM", "LinkPresentation": "LP",
        "LocalAuthentication": "LA", "MapKit": "MK", "MediaPlayer": "MP", "MessageUI": "MF", "Metal": "MTL",
        "NaturalLanguage": "NL", "PDFKit": "PDF", "PassKit": "PK", "Photos": "PH", "QuartzCore": "CA",
        "SafariServices": "SF", "SceneKit": "SCN", "Speech": "SF", "SpriteKit": "SK", "StoreKit": "SK",
        "UIKit": "UI", "UserNotifications": "UN", "Vision": "VN", "WatchConnectivity": "WC",
        "WatchKit": "WK", "WebKit": "WK",
    ]

    /// Names of frameworks whose names begin with nothing of their own.
    private static let knownNames: [String: Set<String>] = [
        "AppKit": [
            "NSApplication", "NSApplicationDelegate", "NSColor", "NSDocument", "NSFont", "NSImage",
            "NSPersistentDocument", "NSTableView", "NSView", "NSViewController", "NSWindow",
            "NSWindowController",
        ],
        "Combine": [
            "AnyCancellable", "AnyPublisher", "Cancellable", "CurrentValueSubject", "Future", "Just",
            "ObservableObject", "PassthroughSubject", "Published", "Publisher", "Publishers", "Subscribers",
        ],
        "OSLog": ["Logger", "OSLog", "os_log"],
        "SwiftData": [
            "ModelActor", "ModelContainer", "ModelContext", "PersistentModel", "SchemaMigrationPlan",
        ],
        "SwiftUI": [
            "App", "AppStorage", "Binding", "Color", "Environment", "EnvironmentObject", "FetchRequest",
            "FetchedResults", "Image", "ObservableObject", "ObservedObject", "PreviewProvider", "Published",
            "Scene",
            "SectionedFetchRequest", "SectionedFetchResults", "State", "StateObject", "View", "ViewBuilder",
        ],
        "UniformTypeIdentifiers": ["UTType"],
        "WidgetKit": ["TimelineEntry", "TimelineProvider", "Widget", "WidgetCenter"],
        "os": ["Logger", "OSLog", "OSAllocatedUnfairLock", "OSSignposter", "os_log", "os_signpost"],
    ]

    /// Whether a name is, as far as is known, one of a framework.
    static func isName(_ name: String, of framework: String) -> Bool {
        if knownNames[framework == "Cocoa" ? "AppKit" : framework]?.contains(name) == true { return true }
        guard let prefix = prefixes[framework], name.hasPrefix(prefix) else { return false }
        let rest = name.dropFirst(prefix.count)
        return rest.first?.isUppercase == true && rest.dropFirst().first?.isLowercase == true
    }
}
