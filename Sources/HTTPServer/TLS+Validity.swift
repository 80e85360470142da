internal import CMicroHTTPD
internal import Glibc

extension HTTPServerConfiguration.TLS {
    /// When an identity is good for use, in seconds since 1970.
    public struct Validity: Sendable, Equatable {
        /// The first moment.
        public var begins: Int
        /// The last moment.
        public var ends: Int
    }

    /// Reads certificate and key as the server will when it starts.
    ///
    /// - Returns: when the server's own certificate, the first of the chain, is valid.
    /// - Throws: `TLSIdentityFault`.
    public func validity() throws(TLSIdentityFault) -> Validity {
        let result = cmhd_check_identity(certificateChain, key)
        let reason = gnutls_strerror(result.error).map { String(cString: $0) } ?? "error \(result.error)"
        switch result.fault {
        case CMHD_IDENTITY_SOUND: return Validity(begins: result.begins, ends: result.ends)
        case CMHD_IDENTITY_CERTIFICATE: throw .certificate(reason)
        case CMHD_IDENTITY_KEY where key.contains("ENCRYPTED"): throw .keyHasPassword
        case CMHD_IDENTITY_KEY: throw .key(reason)
        default: throw result.error == GNUTLS_E_CERTIFICATE_KEY_MISMATCH ? .keyOfAnother : .key(reason)
        }
    }
}
