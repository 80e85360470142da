import Gateway
import Observability
import TableAPI

/// An access token as it is configured.
struct ConfiguredToken: Sendable {
    /// Its name, by which its holder's sessions are found again.
    var name: String
    /// What its holder shows.
    var secret: Secret
    /// Where that stands.
    var source: SecretSource
    /// The setting that says so.
    var setting: String
}

extension [ConfiguredToken] {
    /// Reads the files of the tokens again. The secret of one that cannot be read, or cannot be used, stays as it is in the
    /// table. Blocks for the time of that.
    func renew(_ table: inout AccessTokens, observer: any Observer) {
        var waiting: [(token: ConfiguredToken, text: String)] = []
        for token in self {
            guard case .file(let path) = token.source else { continue }
            do throws(FileError) {
                waiting.append((token, try secretText(in: path)))
            } catch {
                observer.observe(.settingNotRenewed(setting: token.setting, reason: error.reason))
            }
        }
        // A secret may have gone from one name to another, which has to have got its own by then.
        for isLastTry in [false, true] {
            waiting = waiting.filter { token, text in
                do throws(AccessTokenFault) {
                    try table.set(Secret(text), for: token.name)
                    observer.observe(.settingRenewed(setting: token.setting))
                    return false
                } catch {
                    if isLastTry {
                        observer.observe(.settingNotRenewed(setting: token.setting, reason: error.description))
                    }
                    return true
                }
            }
        }
    }
}
