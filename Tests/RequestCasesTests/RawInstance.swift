import Foundation
import Testing

/// An instance that says what no HTTP library would: a process of its own that answers each request with the same bytes.
final class RawInstance {
    /// Where it is.
    let url: String
    private let process = Process()

    /// - Parameters:
    ///   - start: what it says first; record separators part what it says to one request after the other.
    ///   - repeated: what it says then for as long as anybody listens; `bomb` is a gigabyte of zeros in gzip, `slow` a blank
    ///     now and then. Where it is nothing, the connection ends.
    init(start: String, repeated: String) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script, start, repeated]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).filter(\.isNumber)
        try #require(!port.isEmpty)
        url = "http://127.0.0.1:\(port)"
    }

    func kill() {
        guard process.isRunning else { return }
        // Not SIGTERM: a thread of the test may have it blocked, and its child then too.
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit {
        kill()
    }

    private static let script = """
        import socket, sys, threading, time, zlib
        starts, repeated = sys.argv[1].encode().split(b'\\x1e'), sys.argv[2].encode()
        def start():
            return starts.pop(0) if len(starts) > 1 else starts[0]
        def bomb():
            packer = zlib.compressobj(9, zlib.DEFLATED, 31)
            yield packer.compress(b'{"result":[{"a":"')
            for _ in range(1024):
                yield packer.compress(bytes(1 << 20))
        def endless():
            while repeated:
                if repeated == b'slow':
                    time.sleep(0.2)
                    yield b' '
                else:
                    yield repeated
        def serve(connection):
            try:
                while connection.recv(65536):
                    connection.sendall(start())
                    if not repeated:
                        break
                    for piece in bomb() if repeated == b'bomb' else endless():
                        connection.sendall(piece)
            except OSError:
                pass
            connection.close()
        listener = socket.create_server(('127.0.0.1', 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """
}
