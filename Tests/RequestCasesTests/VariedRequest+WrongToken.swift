import PaginatordTesting

extension VariedRequest {
    /// Shows no token, another one, or the right one at the wrong place.
    mutating func showWrongToken(_ numbers: inout SeededGenerator) {
        let token = Deployment.token
        hidden = token
        switch Int.random(in: 0..<8, using: &numbers) {
        case 0: return
        case 1:
            var bytes = Array(token.utf8)
            let place = Int.random(in: bytes.indices, using: &numbers)
            repeat {
                bytes[place] = Array(token.utf8)[place] ^ 1 << UInt8.random(in: 0..<7, using: &numbers)
            } while !(0x21...0x7E).contains(bytes[place])
            hidden = String(decoding: bytes, as: UTF8.self)
        case 2:
            let count = Int.random(in: 0..<token.count, using: &numbers)
            hidden = String(Bool.random(using: &numbers) ? token.prefix(count) : token.suffix(count))
        case 3: hidden = numbers.edited(token, visible)
        case 4:
            hidden +=
                numbers.one(of: [" ", "  ", ",", " x", "\"", "=", ", Bearer \(token)"]) + numbers.text(of: "x ", 0...99)
        case 5:
            let start = numbers.one(of: [
                "Basic ", "Token ", "Digest ", "", "Bearer\t", "Bearer", "Bearer: ", "Bearer=", "Béarer ",
            ])
            lines += ["Authorization: \(start)\(token)"]
            return
        case 6:
            if Bool.random(using: &numbers) {
                let name = numbers.one(of: ["access_token", "token", "authorization", "bearer_token", "Authorization"])
                target += (target.contains("?") ? "&" : "?") + "\(name)=\(numbers.one(of: ["", "Bearer%20"]))\(token)"
            } else {
                let name = numbers.one(of: [
                    "X-Token: ", "Cookie: token=", "Proxy-Authorization: Bearer ", "X-Authorization: Bearer ",
                    "Authentication: Bearer ", "Sec-WebSocket-Protocol: ", "WWW-Authenticate: Bearer ", "X-Api-Key: ",
                ])
                lines += [name + token]
            }
            return
        default:
            let count = Int.random(in: 1..<token.count, using: &numbers)
            hidden = String(token.prefix(count) + Deployment.otherToken.dropFirst(count))
        }
        if ![Deployment.token, Deployment.otherToken].contains(hidden) { lines += ["Authorization: Bearer \(hidden)"] }
    }
}
