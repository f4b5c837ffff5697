@_exported import ManagedObjectModel
