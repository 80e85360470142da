import EventLoops
import Glibc
import Testing

@Suite struct DescriptorWatchTests {
    @Test("A watch tells of what it is set to, until it is closed")
    func readiness() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let (ours, theirs) = (pair[0], pair[1])
        let events = AsyncStream<DescriptorWatch.Readiness>.makeStream()
        let watch = Held<DescriptorWatch>()
        loop.execute {
            watch.value = try? DescriptorWatch(ours, on: loop) { readiness in
                loop.assertCurrent()
                watch.value?.update([])
                events.continuation.yield(readiness)
            }
            watch.value?.update(.writable)
        }
        var told = events.stream.makeAsyncIterator()
        #expect(await told.next() == .writable)

        loop.execute { watch.value?.update(.readable) }
        write(theirs, "x", 1)
        #expect(await told.next() == .readable)

        // The byte is still there, so the same is told again.
        loop.execute { watch.value?.update([.readable, .writable]) }
        #expect(await told.next() == [.readable, .writable])

        close(theirs)
        loop.execute { watch.value?.update([.readable, .disconnected]) }
        #expect(await told.next()?.contains(.readable) == true)

        loop.execute {
            watch.value?.update(.readable)
            watch.value?.close()
            watch.value?.update(.readable)
            watch.value = nil
            loop.execute { events.continuation.finish() }
        }
        #expect(await told.next() == nil)
        close(ours)
        await group.shutdown()
    }

    @Test("What cannot be watched is refused")
    func refused() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        let file = open("/etc/passwd", O_RDONLY)
        defer { close(file) }
        for descriptor in [file, Int32.max] {
            let error: EventLoopError? = await withCheckedContinuation { continuation in
                loop.execute {
                    do throws(EventLoopError) {
                        _ = try DescriptorWatch(descriptor, on: loop) { _ in }
                        continuation.resume(returning: nil)
                    } catch {
                        continuation.resume(returning: error)
                    }
                }
            }
            guard case .refused = error else {
                Issue.record("\(descriptor): \(String(describing: error))")
                continue
            }
        }
        await group.shutdown()
    }

    @Test("A watch that is still open when the loop ends is closed with it, and one given up elsewhere closes itself")
    func leftOpen() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        var pair: [Int32] = [0, 0]
        #expect(pipe(&pair) == 0)
        let (first, second) = (Held<DescriptorWatch>(), Held<DescriptorWatch>())
        let (reading, writing) = (pair[0], pair[1])
        await withCheckedContinuation { continuation in
            loop.execute {
                first.value = try? DescriptorWatch(reading, on: loop) { _ in }
                second.value = try? DescriptorWatch(writing, on: loop) { _ in }
                first.value?.update(.readable)
                continuation.resume()
            }
        }
        #expect(first.value != nil)
        second.value = nil
        await group.shutdown()
        first.value = nil
        close(reading)
        close(writing)
    }
}

/// Holds what only the loop may use.
final class Held<Value>: @unchecked Sendable {
    var value: Value?
}
