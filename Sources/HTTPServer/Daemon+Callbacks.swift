internal import CMicroHTTPD
internal import EventLoops
internal import Glibc
internal import HTTPModel

/// What libmicrohttpd calls. Each closure finds its objects and calls one method.
extension Daemon {
    /// The functions, with this daemon as their context.
    var callbacks: cmhd_callbacks {
        // Safe because the daemon holds itself until `close` has stopped libmicrohttpd.
        cmhd_callbacks(
            context: Unmanaged.passUnretained(self).toOpaque(), log: logMessage,
            handle: handleRequest, completed: requestCompleted, connection: connectionChanged, target: receiveTarget)
    }

    /// Who is told of what libmicrohttpd receives.
    var receiver: cmhd_receiver {
        // Safe because it is used only while a call to this daemon goes on.
        cmhd_receiver(
            context: Unmanaged.passUnretained(self).toOpaque(), is_tls: kind == .tls,
            received: { context, descriptor, start, size, odd in
                guard let start else { return }
                daemon(context)?.received(on: descriptor, start, size, firstOdd: odd)
            },
            ended: { context, descriptor in daemon(context)?.peerEnded(on: descriptor) ?? true })
    }
}

private func daemon(_ context: UnsafeMutableRawPointer?) -> Daemon? {
    // Safe because the context is what `callbacks` says, and the daemon outlives libmicrohttpd's use of it.
    context.map { Unmanaged<Daemon>.fromOpaque($0).takeUnretainedValue() }
}

/// What the server knows of a connection of libmicrohttpd's; `nil` once that has reported it closed.
func record(_ connection: OpaquePointer?) -> Connection? {
    guard let connection, let context = cmhd_socket_context(connection) else { return nil }
    // Safe because `connectionChanged` alone sets the context, and takes it away with the reference that it holds.
    return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
}

private let logMessage: MHD_LogCallback = { context, format, arguments in
    guard let format, let arguments else { return }
    var line = [CChar](repeating: 0, count: 512)
    let length = Int(vsnprintf(&line, line.count, format, arguments))
    let message = line.prefix(min(max(0, length), line.count - 1)).map { UInt8(bitPattern: $0) }
    daemon(context)?.log(String(decoding: message.filter { $0 >= 0x20 }, as: UTF8.self))
}

private let connectionChanged: MHD_NotifyConnectionCallback = { context, connection, slot, change in
    guard let daemon = daemon(context), let connection, let slot else { return }
    // Safe because libmicrohttpd tells of each connection's start and end once: the slot holds a reference in between.
    if change == .CONNECTION_NOTIFY_STARTED {
        slot.pointee = Unmanaged.passRetained(daemon.opened(cmhd_descriptor(connection))).toOpaque()
    } else if let context = slot.pointee {
        slot.pointee = nil
        daemon.closed(Unmanaged<Connection>.fromOpaque(context).takeRetainedValue())
    }
}

private let receiveTarget:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
        context, target, connection in
        guard let target, let record = record(connection) else { return nil }
        daemon(context)?.headBegan(on: record, target: ReceivedTarget(target))
        // libmicrohttpd takes the parameters apart next, which nobody needs, and is at a loss where there are many. Safe because
        // it is libmicrohttpd's buffer, in which it writes a NUL over the question mark at this moment.
        if let query = strchr(target, 0x3F) { query[1] = 0 }
        return nil
    }

private let handleRequest: MHD_AccessHandlerCallback = {
    context, connection, _, method, version, bytes, count, slot in
    guard let daemon = daemon(context), let slot, let count else { return .NO }
    daemon.loop.assertCurrent()
    guard let current = slot.pointee else {
        guard let connection, let method, let version, let record = record(connection) else { return .NO }
        let exchange = Exchange(daemon, connection)
        record.exchange = exchange
        record.deadline = nil
        // Safe because the record holds the exchange until `requestCompleted`, which empties the slot first.
        slot.pointee = Unmanaged.passUnretained(exchange).toOpaque()
        return exchange.begin(method: method, version: version, record)
    }
    // Safe because only the exchange of this request is ever put into the slot.
    let exchange = Unmanaged<Exchange>.fromOpaque(current).takeUnretainedValue()
    // With bytes that are none it asks whether it may go on to receive.
    guard let bytes else { return exchange.proceed() }
    defer { count.pointee = 0 }
    // Safe because the exchange copies what it keeps.
    return exchange.take(UnsafeRawBufferPointer(start: bytes, count: count.pointee))
}

private let requestCompleted: MHD_RequestCompletedCallback = { context, connection, slot, _ in
    guard let slot, slot.pointee != nil else { return }
    slot.pointee = nil
    guard let record = record(connection) else { return }
    daemon(context)?.ended(record)
}
