/// A location on Earth, for the function `distanceToLocation:fromLocation:`.
///
/// Linux has no Core Location. Any object, or dictionary, with the keys `latitude` and `longitude` in degrees
/// is a location.
struct Location {
    private let latitude: Double
    private let longitude: Double

    /// The mean radius of Earth in metres, of the International Union of Geodesy and Geophysics.
    private static let earthRadius = 6_371_008.8

    /// - Throws: ``PredicateEvaluationError`` when the value is not a location.
    init(_ value: Any) throws {
        guard let latitude = Number(try KeyPathSteps("latitude").value(of: value)),
            let longitude = Number(try KeyPathSteps("longitude").value(of: value))
        else {
            throw FunctionTable.wrongArgument(
                "distanceToLocation:fromLocation:", "two locations with latitude and longitude", value)
        }
        self.latitude = latitude.double * .pi / 180
        self.longitude = longitude.double * .pi / 180
    }

    /// The distance in metres along the surface, by the haversine formula.
    func distance(from other: Location) -> Double {
        let latitudes = sin((latitude - other.latitude) / 2)
        let longitudes = sin((longitude - other.longitude) / 2)
        let square = latitudes * latitudes + cos(latitude) * cos(other.latitude) * longitudes * longitudes
        return 2 * Location.earthRadius * asin(min(1, square.squareRoot()))
    }
}
