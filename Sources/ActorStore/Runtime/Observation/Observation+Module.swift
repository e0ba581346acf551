public import Observation

/// The names of the module `Observation` that the expansion of its macro `@Observable` uses. It spells them with the
/// name of the module, which finds the class ``Observation`` in a file that imports both modules.
extension Observation {
    /// The same as in the module `Observation`.
    public typealias Observable = Observation::Observable
    /// The same as in the module `Observation`.
    public typealias ObservationRegistrar = Observation::ObservationRegistrar
}
