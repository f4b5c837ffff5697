/// The names of the functions that statements call and connections have. Those in triggers of Apple's stores have Apple's
/// names; `NSCoreDataNow` among them.
package enum SQLFunctionNames {
    package static let updatedAffectedValue = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
    package static let insertUpdatedAffectedValue = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"
    package static let updateAffectedValue = "NSCoreDataTriggerUpdateAffectedObjectValue"
    package static let now = "NSCoreDataNow"
    /// Ours: Apple's names for these three are not known.
    package static let uppercase = "OpenCoreDataUppercase"
    package static let lowercase = "OpenCoreDataLowercase"
    package static let canonical = "OpenCoreDataCanonical"
    package static let textMatch = "OpenCoreDataTextMatch"
    package static let contains = "OpenCoreDataContains"
    package static let folded = "OpenCoreDataFolded"
    /// `f(name, kind, value, …)`: a function of expressions, with the kinds of its arguments.
    package static let function = "OpenCoreDataFunction"
    /// The same for functions that give another value at each call.
    package static let chance = "OpenCoreDataChance"
    /// `f(value, kind)`, over many rows. Of no values the second and the fourth are 0.
    package static let sum = "OpenCoreDataSum"
    /// `f(value)`, of whole numbers; of no values the second is 0.
    package static let wholeSum = "OpenCoreDataWholeSum"
    package static let wholeTotal = "OpenCoreDataWholeTotal"
    package static let total = "OpenCoreDataTotal"
    package static let average = "OpenCoreDataAverage"
    package static let averageOrZero = "OpenCoreDataAverageOrZero"
    package static let median = "OpenCoreDataMedian"
    package static let standardDeviation = "OpenCoreDataStandardDeviation"
    package static let data = "OpenCoreDataData"
}
