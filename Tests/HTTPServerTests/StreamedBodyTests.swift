import EventLoops
import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct StreamedBodyTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private func streaming(_ produce: @escaping @Sendable (any BodyWriter) async throws -> Void) -> Answers {
        Answers { _ in .answer(Response(status: 200, body: .stream(produce))) }
    }

    @Test("Pieces arrive one by one, in order, while the producer goes on", arguments: [true, false])
    func pieceByPiece(onTheLoop: Bool) async throws {
        let gates = (0..<5).map { _ in Gate() }
        let responder = streaming { writer in
            for (number, gate) in gates.enumerated() {
                await gate.wait()
                let piece = Array("piece \(number)\n".utf8)[...]
                if onTheLoop { try await writer.write(piece) } else { try await writeElsewhere(piece, to: writer) }
            }
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(Self.request)
            #expect(try await peer.readHead().headers["Transfer-Encoding"] == "chunked")
            for (number, gate) in gates.enumerated() {
                gate.open()
                #expect(try await peer.read(13) == Array("8\r\npiece \(number)\n\r\n".utf8))
            }
            #expect(try await peer.read(5) == Array("0\r\n\r\n".utf8))
        }
    }

    @Test("A large stream arrives byte for byte, and the connection then takes the next request")
    func large() async throws {
        let piece = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        let responder = streaming { writer in
            for _ in 0..<200 { try await writer.write(piece[...]) }
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            for _ in 0..<2 {
                try await peer.send(Self.request)
                let body = try await peer.response().body
                #expect(body.count == 200 * piece.count)
                #expect(stride(from: 0, to: body.count, by: piece.count).allSatisfy { body[$0...].starts(with: piece) })
            }
        }
    }

    @Test("A reader that does not read holds the producer; when it reads again, all arrives")
    func backPressure() async throws {
        let pieces = 2000
        let written = Box(0)
        let responder = streaming { writer in
            let piece = [UInt8](repeating: 0x78, count: 64 << 10)
            for _ in 0..<pieces {
                try await writer.write(piece[...])
                written.change { $0 += 1 }
            }
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port, receiveBuffer: 16 << 10)
            try await peer.send(Self.request)
            _ = try await peer.readHead()
            let last = Box((count: -1, times: 0))
            let isHeld = await eventually {
                let count = written.value
                last.change { $0 = $0.count == count ? (count, $0.times + 1) : (count, 0) }
                return last.value.times > 20
            }
            #expect(isHeld)
            // What the system takes into its buffers is a few mebibytes at most, of 125.
            #expect(written.value < pieces / 4)
            let end = try await peer.skip(through: "0\r\n\r\n")
            #expect(end > pieces * 64 << 10)
            #expect(written.value == pieces)
        }
    }

    @Test("A producer that fails cuts the connection without the final chunk", arguments: [0, 1, 100])
    func failure(pieces: Int) async throws {
        struct Broken: Error {}
        let responder = streaming { writer in
            for _ in 0..<pieces { try await writer.write(Array("some text ".utf8)[...]) }
            throw Broken()
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(Self.request)
            await #expect(throws: RawConnection.Failure.self) { _ = try await peer.response() }
            #expect(await eventually { server.server.connectionCount == 0 })
            let other = try RawConnection(port: server.port)
            try await other.send(Self.request)
            let text = String(decoding: try await other.readToEnd(), as: UTF8.self)
            #expect(text.ranges(of: "some text ").count == pieces, "what was written before is sent")
            #expect(!text.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test(
        "Pieces that are offered are taken together, up to the limit, without waiting for the reader",
        arguments: [true, false], [true, false])
    func offers(onLoop: Bool, isCut: Bool) async throws {
        let limit = 1 << 20
        let piece = [UInt8](repeating: 0x61, count: 50_000)
        let taken = Box(0)
        let room = Box(0)
        let (full, gate) = (Gate(), Gate())
        let responder = streaming { writer in
            func isTaken(limit: Int) async throws -> Bool {
                let isTaken = try await offer([piece[...], piece[...]], limit: limit, to: writer, onLoop: onLoop)
                if isTaken { taken.change { $0 += 1 } }
                return isTaken
            }
            // Once nothing is taken for a while the system has all that it will take, and only the limit counts.
            var refusals = 0
            while refusals < 20 { refusals = try await isTaken(limit: limit) ? 0 : refusals + 1 }
            while try await isTaken(limit: 2 * limit) { room.change { $0 += 1 } }
            full.open()
            // One that has room by itself is still taken.
            #expect(try await writer.offer([[0x62]], limit: 2 * limit))
            await gate.wait()
            if isCut { throw BodyWriterError.closed }
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port, receiveBuffer: 16 << 10)
            try await peer.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            _ = try await peer.readHead()
            #expect(await eventually { full.isOpen })
            // What lies there fills the first limit but for less than one offer; the second one is a mebibyte more.
            #expect(10...11 ~= room.value)
            gate.open()
            if isCut { #expect(await eventually { server.server.connectionCount == 0 }) }
            let text = try await peer.readToEnd()
            let bytes = text.count { $0 == 0x61 }
            #expect(isCut ? bytes < taken.value * 100_000 : bytes >= taken.value * 100_000)
            #expect(isCut || text.contains(0x62))
        }
    }

    @Test("When the peer goes, writing fails, the producer is cancelled and ends")
    func peerGone() async throws {
        let outcome = Box<(error: BodyWriterError?, isCancelled: Bool)?>(nil)
        let responder = streaming { writer in
            do throws(BodyWriterError) {
                while true { try await writer.write([UInt8](repeating: 0x78, count: 10_000)[...]) }
            } catch {
                outcome.change { $0 = (error, Task.isCancelled) }
                throw error
            }
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(Self.request)
            _ = try await peer.readHead()
            await peer.close()
            #expect(await eventually { outcome.value != nil })
            #expect(outcome.value?.error == .closed)
            #expect(outcome.value?.isCancelled == true)
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test("A producer that waits and writes nothing is cancelled when its peer has reset the connection")
    func resetWhileWaiting() async throws {
        let first = Gate()
        let cancelled = Gate()
        let responder = streaming { writer in
            try await writer.write(Array("unread".utf8)[...])
            first.open()
            await withTaskCancellationHandler {
                await cancelled.wait()
            } onCancel: {
                cancelled.open()
            }
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(Self.request)
            await first.wait()
            // What was sent is never read, so closing resets the connection.
            #expect(await peer.isReadable())
            await peer.close()
            await cancelled.wait()
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test("A producer that writes now and then is cancelled when its peer has gone")
    func peerGoneWhileWaiting() async throws {
        let outcome = Box<Bool?>(nil)
        let first = Gate()
        let responder = streaming { writer in
            try await writer.write(Array("one".utf8)[...])
            first.open()
            while !Task.isCancelled {
                try? await EventLoop.current?.sleep(for: .milliseconds(20))
                if !Task.isCancelled { try? await writer.write(Array("comment".utf8)[...]) }
            }
            outcome.change { $0 = true }
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(Self.request)
            await first.wait()
            await peer.close()
            #expect(await eventually { outcome.value == true })
        }
    }

    @Test(
        "Without a body by its status a stream's producer does not run, and the connection goes on",
        arguments: [204, 304])
    func withoutBody(status: Int) async throws {
        let runs = Box(0)
        let responder = Answers { head in
            guard head.target == "/" else { return .answer(.text("next")) }
            return .answer(Response(status: status, body: .stream { _ in runs.change { $0 += 1 } }))
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(Self.request)
            #expect(try await peer.response().status == status)
            try await peer.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await peer.response().text == "next")
            #expect(runs.value == 0)
        }
    }

    @Test("HEAD of a stream gets its head and not one byte more, and the producer does not run")
    func head() async throws {
        let runs = Box(0)
        try await withServer(responder: streaming { _ in runs.change { $0 += 1 } }) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try await peer.response(toHead: true)
            #expect(head.status == 200)
            #expect(head.headers["Content-Length"] == nil)
            #expect(try await peer.readToEnd() == [])
            #expect(runs.value == 0)
        }
    }

    @Test("To HTTP/1.0 a stream goes without chunks and ends with the connection")
    func oldVersion() async throws {
        let responder = streaming { writer in
            for number in 0..<100 { try await writer.write(Array("\(number),".utf8)[...]) }
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("GET / HTTP/1.0\r\n\r\n")
            let answer = try await peer.response()
            #expect(answer.headers["Transfer-Encoding"] == nil)
            #expect(answer.text == (0..<100).map { "\($0)," }.joined())
        }
    }

    @Test("Empty pieces neither end a stream nor hold it")
    func emptyPieces() async throws {
        let responder = streaming { writer in
            for _ in 0..<10 { try await writer.write([]) }
            try await writer.write(Array("x".utf8)[...])
            try await writer.write([])
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(Self.request)
            #expect(try await peer.response().text == "x")
        }
    }

    @Test(
        "A stream that says its length is sent without chunks, and is cut where it ends before", arguments: [9, 4, 0])
    func announcedLength(written: Int) async throws {
        let body = Array("paginated".utf8)
        let responder = Answers { _ in
            let headers: HeaderFields = ["Content-Length": "9", "X-Last": "z"]
            return .answer(
                Response(status: 200, headers: headers, body: .stream { try await $0.write(body[..<written]) }))
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(Self.request)
            let head = try await peer.readHead()
            #expect(head.headers["Content-Length"] == "9" && head.headers["Transfer-Encoding"] == nil)
            #expect(head.headers["X-Last"] == "z")
            #expect(try await peer.read(written) == Array(body[..<written]))
            if written == 9 {
                try await peer.send(Self.request)
                #expect(try await peer.response().body == body)
            } else {
                #expect(try await peer.readToEnd().isEmpty)
            }
        }
    }
}

private func offer(
    _ pieces: [ArraySlice<UInt8>], limit: Int, to writer: any BodyWriter, onLoop: Bool
) async throws -> Bool {
    onLoop ? try await writer.offer(pieces, limit: limit) : try await offerElsewhere(pieces, limit: limit, to: writer)
}

@concurrent private func offerElsewhere(
    _ pieces: [ArraySlice<UInt8>], limit: Int, to writer: any BodyWriter
) async throws -> Bool {
    try await Task.detached { try await writer.offer(pieces, limit: limit) }.value
}

@concurrent private func writeElsewhere(_ piece: ArraySlice<UInt8>, to writer: any BodyWriter) async throws {
    try await Task.detached { try await writer.write(piece) }.value
}
