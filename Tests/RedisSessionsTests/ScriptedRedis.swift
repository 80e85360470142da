import Foundation
import Glibc
import Synchronization

/// A server that answers each command with whatever bytes its script says, one thread per connection.
final class ScriptedRedis: Sendable {
    /// What becomes of a command: these bytes, and then perhaps the end of the connection; `nil`: silence.
    typealias Script = @Sendable (_ command: [String], _ connection: Int) -> Answer?

    struct Answer {
        var bytes: [UInt8]
        var isLast = false
        /// Whether the bytes leave one by one.
        var isDribbled = false

        init(_ text: String, isLast: Bool = false) {
            bytes = Array(text.utf8)
            self.isLast = isLast
        }

        init(bytes: [UInt8], isLast: Bool = false, isDribbled: Bool = false) {
            (self.bytes, self.isLast, self.isDribbled) = (bytes, isLast, isDribbled)
        }
    }

    let port: Int
    private let listener: Int32
    private struct Record {
        var commands: [[String]] = []
        var connections: [Int32] = []
        var accepted = 0
        var isStopped = false
    }
    private let record = Mutex(Record())

    init(_ script: @escaping Script) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                precondition(bind(descriptor, generic, length) == 0 && listen(descriptor, 64) == 0, "no port")
                getsockname(descriptor, generic, &length)
            }
            return Int(UInt16(bigEndian: pointer.pointee.sin_port))
        }
        Thread.detachNewThread { [self] in
            // Here and not in `stop`, or this thread could go on to accept from whoever has got the number next.
            defer { close(descriptor) }
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                let number = record.withLock { record in
                    record.accepted += 1
                    record.connections.append(connection)
                    return record.accepted
                }
                Thread.detachNewThread { [self] in
                    serve(connection, number, script)
                    record.withLock { record in
                        record.connections.removeAll { $0 == connection }
                        close(connection)
                    }
                }
            }
        }
    }

    /// Every command that has come, in order.
    var commands: [[String]] { record.withLock(\.commands) }

    /// How many connections have come.
    var accepted: Int { record.withLock(\.accepted) }

    func stop() {
        record.withLock { record in
            for connection in record.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve(_ descriptor: Int32, _ number: Int, _ script: Script) {
        while let command = readCommand(descriptor) {
            record.withLock { $0.commands.append(command) }
            guard let answer = script(command, number) else { continue }
            let pieces = answer.isDribbled ? answer.bytes.map { [$0] } : [answer.bytes]
            if answer.isDribbled {
                var one: Int32 = 1
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            }
            for piece in pieces {
                var rest = piece[...]
                while !rest.isEmpty {
                    let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                    guard sent > 0 else { return }
                    rest = rest.dropFirst(sent)
                }
            }
            if answer.isLast { return }
        }
    }

    private func readCommand(_ descriptor: Int32) -> [String]? {
        guard let head = readLine(descriptor), head.hasPrefix("*"), let count = Int(head.dropFirst()) else {
            return nil
        }
        var words: [String] = []
        for _ in 0..<count {
            guard let line = readLine(descriptor), let length = Int(line.dropFirst()) else { return nil }
            var bytes: [UInt8] = []
            while bytes.count < length + 2 {
                var byte: UInt8 = 0
                guard read(descriptor, &byte, 1) == 1 else { return nil }
                bytes.append(byte)
            }
            words.append(String(decoding: bytes.dropLast(2), as: UTF8.self))
        }
        return words
    }

    private func readLine(_ descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        while bytes.suffix(2) != [13, 10] {
            var byte: UInt8 = 0
            guard read(descriptor, &byte, 1) == 1 else { return nil }
            bytes.append(byte)
        }
        return String(decoding: bytes.dropLast(2), as: UTF8.self)
    }
}
