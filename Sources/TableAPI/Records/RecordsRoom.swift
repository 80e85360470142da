internal import Locks

/// Room for what readings of all records keep at hand before it can be delivered, shared by any number of them.
///
/// A reading that finds no room goes on all the same, but one request at a time, and with none while a batch is being
/// received: so those whose receivers are slow hold one batch each, and no more.
public final class RecordsRoom: Sendable {
    private let bytes: Int
    private let held = Lock(0)

    /// Makes room for that many bytes of records, about.
    public init(bytes: Int) {
        self.bytes = bytes
    }

    fileprivate func change(from old: Int, to new: Int, always: Bool) -> Bool {
        held.withLock { held in
            guard always || new <= old || held - old + new <= bytes else { return false }
            held += new - old
            return true
        }
    }
}

/// What one reading holds of a room; it gives it back when it goes.
final class RecordsShare: Sendable {
    private struct State {
        var held = 0
        /// The most bytes that one window had so far, or what they are taken to be.
        var windowBytes = 1 << 20
        var hasSeenWindow = false
    }

    private let room: RecordsRoom
    private let state = Lock(State())

    /// Holds nothing yet.
    init(_ room: RecordsRoom) {
        self.room = room
    }

    deinit {
        _ = room.change(from: state.withLock(\.held), to: 0, always: true)
    }

    /// Takes note of the size of a window.
    func learn(_ byteCount: Int) {
        state.withLock { state in
            state.windowBytes = state.hasSeenWindow ? max(state.windowBytes, byteCount) : byteCount
            state.hasSeenWindow = true
        }
    }

    /// Holds that many windows from now on.
    ///
    /// - Parameter always: whether it has to be so, be there room or not.
    /// - Returns: whether it holds them; otherwise it holds what it held.
    func hold(windows: Int, always: Bool) -> Bool {
        state.withLock { state in
            let wanted = windows * state.windowBytes
            guard room.change(from: state.held, to: wanted, always: always) else { return false }
            state.held = wanted
            return true
        }
    }
}
