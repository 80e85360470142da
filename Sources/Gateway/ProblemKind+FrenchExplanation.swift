extension ProblemKind {
    /// The same as `explanation(in:)` says in English, in French.
    var frenchExplanation: (meaning: String, remedy: String) {
        switch self {
        case .noNextPage:
            (
                "La session se trouve à la dernière page, et rien n’a été demandé à l’instance.",
                "Arrêtez-vous quand hasNext vaut false, ou reprenez avec first."
            )
        case .noPreviousPage:
            (
                "La session se trouve à la première page ou avant elle, et rien n’a été demandé à l’instance.",
                "Arrêtez-vous quand hasPrevious vaut false, ou continuez avec last."
            )
        case .lastPageUnknown:
            (
                "L’instance n’indique pas le nombre d’enregistrements, et nul ne sait donc quelle page est la dernière.",
                "Avancez avec next. Une fois la fin trouvée, last fonctionne."
            )
        case .paginatorFinished:
            (
                "publisherShouldFinish était activé et la dernière page a été livrée. Plus aucune page ne peut l’être.",
                "Ouvrez une nouvelle session. La dernière page peut encore être répétée depuis la position précédente."
            )
        case .paginatorBusy:
            (
                "Un autre déplacement de la session est en cours, et celui-ci ne doit pas attendre, ou trop d’autres "
                    + "attendent déjà.",
                "Refaites le déplacement après le nombre de secondes indiqué par Retry-After."
            )
        case .positionStale:
            (
                "Le déplacement part d’une position où la session ne se trouve pas. Quelqu’un d’autre l’a donc déplacée.",
                "Consultez la session, puis repartez de la position donnée dans cette réponse."
            )
        case .sessionNotFound:
            (
                "Aucune session ne porte ce nom, ou elle appartient à quelqu’un d’autre.",
                "Ouvrez une session avec POST /sessions et suivez les liens de ses réponses."
            )
        case .sessionExpired:
            (
                "La session a été supprimée, ou n’a pas été utilisée pendant plus longtemps que son idleTimeout.",
                "Ouvrez une nouvelle session. Avec un idleTimeout plus grand, elle vivra plus longtemps."
            )
        case .tooManySessions:
            (
                "Le nombre de sessions ouvertes a atteint la limite configurée. Aucune session en usage n’est fermée pour "
                    + "faire place à une autre.",
                "Supprimez les sessions devenues inutiles, ou réessayez après le nombre de secondes indiqué par Retry-After."
            )
        case .tooManyRequests:
            (
                "Autant de requêtes portant ce jeton d’accès sont en cours que limits.requestsPerToken en admet.",
                "Attendez la fin de certaines d’entre elles, puis refaites le même appel après le délai de Retry-After, en "
                    + "secondes."
            )
        case .malformedRequest:
            (
                "La requête n’est pas du HTTP bien formé, ou son corps n’est pas un objet JSON ou est trop imbriqué.",
                "Corrigez ce que le détail désigne et renvoyez la requête."
            )
        case .invalidParameter:
            (
                "La requête a été comprise, mais elle contient des valeurs non admises. errors les nomme, cent au plus.",
                "Corrigez chaque valeur nommée par errors et renvoyez la requête."
            )
        case .notFound:
            (
                "L’interface n’a pas de tel chemin.",
                "GET /problems et le fichier README indiquent les chemins qui existent."
            )
        case .methodNotAllowed:
            (
                "Le chemin existe, mais pas pour cette méthode.",
                "Employez une des méthodes de l’en-tête Allow."
            )
        case .notAcceptable:
            (
                "Le service ne peut répondre dans aucun des types de contenu que nomme l’en-tête Accept.",
                "Nommez un type de contenu que le chemin propose, ou omettez Accept."
            )
        case .unsupportedMediaType:
            (
                "Le corps n’est pas déclaré comme du JSON.",
                "Envoyez-le avec Content-Type: application/json."
            )
        case .contentTooLarge: ("Le corps dépasse limits.requestBody.", "Envoyez un corps plus petit.")
        case .uriTooLong:
            (
                "L’adresse de la requête est plus longue que ce que lit le service.",
                "Envoyez une longue requête dans le corps de POST /sessions."
            )
        case .headersTooLarge:
            (
                "Les en-têtes de la requête sont plus grands que ce que lit le service.",
                "Envoyez moins d’en-têtes et de cookies, ou de plus courts."
            )
        case .notImplemented:
            (
                "Le corps arrive dans un codage de transfert que le service ne connaît pas.",
                "Envoyez-le avec un Content-Length ou avec Transfer-Encoding: chunked."
            )
        case .httpVersionNotSupported:
            (
                "Le service parle HTTP/1.1 et HTTP/1.0, et certaines réponses ne peuvent pas être données en HTTP/1.0.",
                "Envoyez la requête en HTTP/1.1."
            )
        case .hostNotAllowed:
            (
                "L’en-tête Host nomme un hôte qui n’est pas celui du service. Une page web a pu faire pointer ce nom ici.",
                "Appelez le service sous le nom localhost ou par son adresse IP, ou faites inscrire le nom dans access.hosts."
            )
        case .originNotAllowed:
            (
                "Une page web d’une autre origine a fait la requête, ou une page admise l’a faite autrement que par fetch.",
                "Servez la page depuis l’origine du service, ou faites inscrire son origine dans access.origins ; appelez ensuite "
                    + "par fetch en mode cors."
            )
        case .authenticationRequired:
            (
                "La requête n’a pas d’en-tête Authorization admis : avec un jeton d’accès du service ou, s’il est transmis à "
                    + "l’instance, avec ce que celle-ci accepte.",
                "Envoyez un seul en-tête Authorization : Bearer suivi d’un jeton d’accès, ou les identifiants que l’instance "
                    + "accepte. Une session appartient au nom du jeton, ou aux identifiants exacts avec lesquels elle a été "
                    + "ouverte."
            )
        case .queryRejected:
            (
                "L’instance a répondu que la table n’existe pas ou que la requête est erronée ou trop longue. upstream "
                    + "rapporte ses termes.",
                "Corrigez la table et la requête, puis ouvrez une nouvelle session."
            )
        case .upstreamForbidden:
            (
                "Les règles d’accès de l’instance interdisent cette requête à l’utilisateur configuré. upstream rapporte "
                    + "ses termes.",
                "Demandez d’autres tables ou champs, ou faites attribuer le rôle à cet utilisateur."
            )
        case .upstreamUnauthenticated:
            (
                "L’instance n’a pas accepté les identifiants avec lesquels le service est configuré.",
                "L’exploitant doit corriger instances.….auth."
            )
        case .upstreamRateLimited:
            (
                "L’instance n’admet plus de requêtes pour le moment.",
                "Refaites le même appel après le nombre de secondes indiqué par Retry-After."
            )
        case .upstreamUnavailable:
            (
                "L’instance est en panne, en veille ou en maintenance. La session est restée telle quelle.",
                "Refaites le même appel après le nombre de secondes indiqué par Retry-After."
            )
        case .upstreamFailed:
            (
                "L’instance n’a pas pu être jointe, ou sa réponse n’a pas de sens. La session est restée telle quelle.",
                "Refaites le même appel. Si le problème persiste, l’exploitant en trouve la raison dans le journal."
            )
        case .upstreamIncomplete:
            (
                "La réponse de l’instance a été coupée ou contenait une erreur, et la page n’a donc pas compté. La session "
                    + "est restée telle quelle.",
                "Refaites le même appel, ou ouvrez une session avec un itemsPerPage plus petit."
            )
        case .upstreamNotJSON:
            (
                "L’instance a répondu par autre chose qu’une liste d’enregistrements, par exemple une page de connexion.",
                "Refaites le même appel. Si le problème persiste, l’exploitant doit vérifier url et auth."
            )
        case .upstreamTooLarge:
            (
                "La page dépasse pages.maxBytes.",
                "Ouvrez une session avec moins de champs ou un itemsPerPage plus petit."
            )
        case .upstreamTimeout:
            (
                "L’instance n’a pas répondu avant l’échéance. La session est restée telle quelle.",
                "Refaites le même appel, ou ouvrez une session avec un itemsPerPage plus petit ou une requête plus simple."
            )
        case .storeUnavailable:
            (
                "Les sessions ne peuvent être ni lues ni écrites pour le moment. Rien n’a été fait à moitié.",
                "Refaites le même appel après le nombre de secondes indiqué par Retry-After."
            )
        case .shuttingDown:
            (
                "Le service va s’arrêter et n’accepte plus de requêtes.",
                "Refaites le même appel après le nombre de secondes indiqué par Retry-After."
            )
        case .internal:
            (
                "Le service a rencontré ce qui devrait être impossible. Le détail est le nom de la requête dans le journal.",
                "Signalez-le avec les lignes du journal qui concernent cette requête."
            )
        }
    }
}
