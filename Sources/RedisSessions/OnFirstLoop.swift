/// Something that is made and used on a client's first loop.
///
/// Safe because only closures that run on that loop touch it.
final class OnFirstLoop<Value>: @unchecked Sendable {
    /// What it is, once it is made.
    var value: Value?

    /// Begins with nothing.
    init() {}
}
