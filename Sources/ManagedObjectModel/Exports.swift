@_exported import CocoaFoundation
