public import EventLoops
import HTTPClient
public import TableAPI

extension TableService {
    /// Makes a service that reaches the instance over the network. All services made so share one HTTP client on event
    /// loops of its own, which lasts as long as the process.
    ///
    /// - Throws: `EventLoopError` where the system has no descriptors or threads left.
    public init(instance: Instance) throws(EventLoopError) {
        self.init(instance: instance, transport: try sharedClient.get())
    }
}

private let sharedClient: Result<HTTPClient, EventLoopError> = {
    do throws(EventLoopError) {
        return .success(HTTPClient(on: try EventLoopGroup()))
    } catch {
        return .failure(error)
    }
}()
