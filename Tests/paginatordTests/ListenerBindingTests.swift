import Glibc
import HTTPServer
import Observability
import Testing

@testable import paginatord

@Suite struct ListenerBindingTests {
    private struct Nobody: Observer {
        func observe(_ event: Event) {}
    }

    @Test("A descriptor that is named twice is refused, and closed once", arguments: [[0, 0], [0, 1, 0], [1, 0, 0]])
    func descriptorTwice(order: [Int]) throws {
        let sockets = (0..<2).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        for socket in sockets { try #require(listen(socket, 1) == 0) }
        let listeners = order.map { Listener(address: .descriptor(sockets[$0])) }
        #expect(throws: HTTPServerError.addressInUse("fd:\(sockets[0])")) {
            try bind(listeners, isTLS: false, observer: Nobody())
        }
        for number in Set([0, 1]).subtracting(order) { close(sockets[number]) }
    }
}
