/// Modules that exist on Apple's platforms only.
enum AppleModules {
    static let names: Set<String> = [
        "AppIntents", "AppKit", "AuthenticationServices", "AVFoundation", "AVKit", "ActivityKit",
        "BackgroundTasks",
        "CloudKit", "Cocoa", "Combine", "Contacts", "ContactsUI", "CoreBluetooth",
        "CoreGraphics", "CoreImage", "CoreLocation", "CoreML", "CoreMotion", "CoreServices", "CoreSpotlight",
        "CoreText", "CryptoKit", "Darwin", "EventKit", "EventKitUI", "GameKit", "GameplayKit", "HealthKit",
        "HomeKit",
        "ImageIO", "Intents", "LinkPresentation", "LocalAuthentication", "MapKit", "MessageUI", "MetricKit",
        "MobileCoreServices", "NaturalLanguage", "Network", "NotificationCenter", "OSLog", "ObjectiveC",
        "PDFKit",
        "Photos", "PhotosUI", "QuartzCore", "QuickLook", "SafariServices", "SceneKit", "Security", "Social",
        "Speech", "SpriteKit", "StoreKit", "SwiftData", "SwiftUI", "SystemConfiguration", "TipKit", "UIKit",
        "UniformTypeIdentifiers", "UserNotifications", "VisionKit", "WatchConnectivity", "WatchKit", "WebKit",
        "WidgetKit", "os",
    ]
}
