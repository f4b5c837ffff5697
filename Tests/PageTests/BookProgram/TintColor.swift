import Foundation

/// The class that the model names for the colour of a book.
public final class TintColor: NSObject {}
