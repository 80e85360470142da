import CUV

/// What a libuv handle points back to: the callback, and whether the handle is still open.
///
/// libuv owns the handle's memory and one reference to this object from `init` until its close callback, which frees
/// both. Safe because every method is called on the loop's thread only, with the one exception of passing it on.
final class LoopHandle: @unchecked Sendable {
    /// libuv's view of the handle; not to be used once `isOpen` is false.
    let raw: UnsafeMutablePointer<uv_handle_t>
    /// Whether the handle can be used: false from the moment at which closing began.
    private(set) var isOpen = true
    /// Called with (status, events) or (0, signal number); timers and the like pass zeros.
    private var event: ((Int32, Int32) -> Void)?
    private var closed: (() -> Void)?

    /// Allocates a handle of the given type and initialises it on the loop of the calling thread.
    ///
    /// - Parameters:
    ///   - operation: names the attempt in the error.
    ///   - closed: called when the handle was closed, also when the loop ends.
    /// - Throws: what `initialise` was refused with.
    init<Raw>(
        _ type: Raw.Type, _ operation: String, event: @escaping (Int32, Int32) -> Void,
        closed: (() -> Void)? = nil, initialise: (UnsafeMutablePointer<Raw>) -> Int32
    ) throws(EventLoopError) {
        let pointer = UnsafeMutablePointer<Raw>.allocate(capacity: 1)
        let status = initialise(pointer)
        guard status == 0 else {
            pointer.deallocate()
            throw refusal(operation, status)
        }
        // Safe because every handle of libuv begins with the fields of `uv_handle_t`.
        raw = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: uv_handle_t.self)
        self.event = event
        self.closed = closed
        // Safe because the close callback takes this reference back, and nobody else does.
        raw.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    /// The handle as its own type. Safe because it is the type that `init` was called with.
    func pointer<Raw>(as type: Raw.Type) -> UnsafeMutablePointer<Raw> {
        UnsafeMutableRawPointer(raw).assumingMemoryBound(to: type)
    }

    /// Closes the handle; closing twice is allowed. No event is delivered any more.
    func close() {
        guard isOpen else { return }
        isOpen = false
        event = nil
        uv_close(raw) { raw in
            guard let raw, let data = raw.pointee.data else { return }
            // Safe because `isOpen` lets libuv close each handle once only.
            let handle = Unmanaged<LoopHandle>.fromOpaque(data).takeRetainedValue()
            UnsafeMutableRawPointer(raw).deallocate()
            let closed = handle.closed
            handle.closed = nil
            closed?()
        }
    }

    /// Hands an event of libuv to the owner. Safe because `data` is set by `init` alone and holds a reference until
    /// the close callback.
    static func deliver<Raw>(_ raw: UnsafeMutablePointer<Raw>?, _ status: Int32 = 0, _ detail: Int32 = 0) {
        guard let raw else { return }
        let handle = UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_handle_t.self)
        guard let data = handle.pointee.data else { return }
        Unmanaged<LoopHandle>.fromOpaque(data).takeUnretainedValue().event?(status, detail)
    }

    /// The object behind a handle that libuv names while it walks through the open ones. Safe because `data` holds a
    /// reference as long as libuv knows the handle.
    static func behind(_ raw: UnsafeMutablePointer<uv_handle_t>) -> LoopHandle? {
        raw.pointee.data.map { Unmanaged<LoopHandle>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// The error for a status that libuv returned.
func refusal(_ operation: String, _ status: Int32) -> EventLoopError {
    .refused(operation: operation, reason: String(cString: uv_strerror(status)))
}
