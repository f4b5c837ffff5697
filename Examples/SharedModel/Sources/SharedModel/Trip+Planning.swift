import CoreData

extension Trip {
    /// A new trip, in a context.
    public convenience init(_ title: String, start: Date? = nil, in context: NSManagedObjectContext) {
        self.init(context: context)
        self.title = title
        self.start = start
    }

    /// Adds a stop to the trip.
    @discardableResult
    public func addStop(_ place: String, nights: Int16, costPerNight: Decimal) -> Stop? {
        guard let managedObjectContext else { return nil }
        let stop = Stop(context: managedObjectContext)
        stop.place = place
        stop.nights = nights
        stop.costPerNight = costPerNight as NSDecimalNumber
        stop.trip = self
        return stop
    }

    /// What all stops cost.
    public var cost: Decimal {
        (stops as? Set<Stop> ?? []).reduce(0) { $0 + $1.cost }
    }

    /// The trips that begin at a moment or later, the next one first; those without a beginning are left out.
    public static func upcoming(
        from moment: Date, in context: NSManagedObjectContext
    ) throws -> [Trip] {
        let request = NSFetchRequest<Trip>(entityName: "Trip")
        request.predicate = NSPredicate(format: "start >= %@", moment as NSDate)
        request.sortDescriptors = [NSSortDescriptor(key: "start", ascending: true)]
        return try context.fetch(request)
    }
}

extension Stop {
    /// What all nights cost.
    public var cost: Decimal { ((costPerNight ?? 0) as Decimal) * Decimal(nights) }
}
