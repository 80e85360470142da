internal import CCurl
internal import EventLoops
internal import Glibc

/// A multi handle of libcurl, driven by one event loop (`curl_multi_socket_action`).
///
/// Every method is called on the loop. libcurl holds pointers to this object from `init` to `close()`, and `deinit`
/// proves that it was closed.
final class MultiHandle {
    private let loop: EventLoop
    private let raw: UnsafeMutableRawPointer
    private let finished: (EasyHandle, CURLcode) -> Void
    private let broke: () -> Void
    private var timer: LoopTimer?
    private var watches: SocketWatches?
    private var settler: SettlerID?
    /// libcurl asked to be called as soon as its callback has returned.
    private var isDue = false
    private var isInside = false
    private var isClosed = false

    /// Makes a multi handle on the loop of the calling thread.
    ///
    /// - Parameters:
    ///   - finished: called for each transfer that has ended by itself; it removes the handle.
    ///   - broke: called when libcurl can no longer be driven; it closes this object.
    /// - Throws: `EventLoopError` where the system refuses.
    init(
        on loop: EventLoop, maxIdleConnections: Int, finished: @escaping (EasyHandle, CURLcode) -> Void,
        broke: @escaping () -> Void
    ) throws(EventLoopError) {
        loop.assertCurrent()
        guard libraryIsReady, let raw = curl_multi_init() else {
            throw .refused(operation: "starting libcurl", reason: "out of memory")
        }
        self.loop = loop
        self.raw = raw
        self.finished = finished
        self.broke = broke
        do {
            // Safe because `close()` closes the timer, on the loop, and `deinit` proves that it was called; a closed timer
            // calls nobody.
            timer = try LoopTimer(on: loop) { [unowned self] in act(CURL_SOCKET_BAD, 0) }
        } catch {
            curl_multi_cleanup(raw)
            isClosed = true
            throw error
        }
        // Safe because `close()` closes the watches, too.
        watches = SocketWatches(on: loop) { [unowned self] in act($0, selectBits($1)) }
        // Weak, because another settler may have run the job that closed this object.
        settler = loop.addSettler { [weak self] in self?.settle() ?? true }
        let context = context
        ccurl_multi_set_long(raw, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
        ccurl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, max(1, maxIdleConnections))
        ccurl_multi_set_timer(raw, { _, delay, context in MultiHandle.at(context)?.wake(after: delay) ?? -1 }, context)
        ccurl_multi_set_socket(
            raw, { _, descriptor, what, context, _ in MultiHandle.at(context)?.watch(descriptor, what) ?? -1 }, context)
    }

    deinit {
        assert(isClosed, "libcurl still holds pointers to this object")
    }

    /// What libcurl is given as the context of the socket callbacks of this object's handles.
    /// Safe because its owner keeps the object until `close()` has freed libcurl's side.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Begins a transfer; libcurl starts on it before the loop waits.
    func add(_ easy: EasyHandle) -> CURLMcode {
        loop.assertCurrent()
        return curl_multi_add_handle(raw, easy.raw)
    }

    /// Takes a transfer from libcurl, finished or not.
    func remove(_ easy: EasyHandle) {
        loop.assertCurrent()
        curl_multi_remove_handle(raw, easy.raw)
    }

    /// Closes the connections and frees the handle; every easy handle was removed before.
    func close() {
        loop.assertCurrent()
        guard !isClosed else { return }
        curl_multi_cleanup(raw)
        isClosed = true
        watches?.close()
        timer?.close()
        if let settler { loop.removeSettler(settler) }
    }

    // MARK: Driving

    private func settle() -> Bool {
        guard isDue else { return true }
        isDue = false
        act(CURL_SOCKET_BAD, 0)
        return !isDue
    }

    /// Tells libcurl what happened (`CURL_SOCKET_BAD` is its `CURL_SOCKET_TIMEOUT`) and takes what is finished.
    private func act(_ descriptor: curl_socket_t, _ events: Int32) {
        loop.assertCurrent()
        guard !isClosed else { return }
        assert(!isInside, "libcurl may not be called from within its callbacks")
        isInside = true
        var running: Int32 = 0
        let code = curl_multi_socket_action(raw, descriptor, events, &running)
        isInside = false
        guard code == CURLM_OK else { return broke() }
        var left: Int32 = 0
        while let message = curl_multi_info_read(raw, &left) {
            // Copied first: removing the handle ends the message's life.
            let (kind, easy, result) = (message.pointee.msg, message.pointee.easy_handle, message.pointee.data.result)
            if kind == CURLMSG_DONE, let easy = easy.flatMap(EasyHandle.behind) { finished(easy, result) }
        }
    }

    private func wake(after delay: Int) -> Int32 {
        isDue = delay == 0
        // A request may begin in the work of another settler, behind this one's turn.
        if isDue { loop.unsettle() }
        if delay > 0 { timer?.start(after: .milliseconds(delay)) } else { timer?.stop() }
        return 0
    }

    private func watch(_ descriptor: curl_socket_t, _ what: Int32) -> Int32 {
        do throws(EventLoopError) {
            switch what {
            case CURL_POLL_IN: try watches?.want(.readable, of: descriptor)
            case CURL_POLL_OUT: try watches?.want(.writable, of: descriptor)
            case CURL_POLL_INOUT: try watches?.want([.readable, .writable], of: descriptor)
            default: watches?.release(descriptor)
            }
            return 0
        } catch {
            return -1
        }
    }

    /// Opens a connection's socket. Called by libcurl with `context`.
    static let open: curl_opensocket_callback = { context, _, address in
        guard let address = address?.pointee else { return CURL_SOCKET_BAD }
        let descriptor = socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
        if descriptor >= 0 { MultiHandle.at(context)?.watches?.opened(descriptor) }
        return descriptor
    }

    /// Closes a connection's socket. Called by libcurl with `context`.
    static let close: curl_closesocket_callback = { context, descriptor in
        MultiHandle.at(context)?.watches?.forget(descriptor)
        return Glibc.close(descriptor)
    }

    /// The object behind a context pointer. Safe because libcurl has such a pointer only between `init` and the end of
    /// `close()`, in which time its owner keeps the object.
    private static func at(_ context: UnsafeMutableRawPointer?) -> MultiHandle? {
        context.map { Unmanaged<MultiHandle>.fromOpaque($0).takeUnretainedValue() }
    }
}

private func selectBits(_ readiness: DescriptorWatch.Readiness) -> Int32 {
    (readiness.contains(.readable) ? CURL_CSELECT_IN : 0) | (readiness.contains(.writable) ? CURL_CSELECT_OUT : 0)
}

/// Whether libcurl's global part could be set up; done once. Thread-safe in 7.84 and later.
private let libraryIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
