#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>

/// Declared by the C library only for GNU sources, and Swift compiles as plain POSIX.
extern int accept4(int listening, struct sockaddr *address, socklen_t *size, int flags);

/// What a daemon is started with; zero and NULL leave libmicrohttpd's default.
struct cmhd_options {
    unsigned int flags;
    unsigned int connection_limit;
    unsigned int timeout_seconds;
    size_t memory_limit;
    const char *tls_key;
    const char *tls_certificate;
    const char *tls_priorities;
};

/// The functions that a daemon calls, all with the same context.
struct cmhd_callbacks {
    void *context;
    MHD_LogCallback log;
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
};

/// `MHD_start_daemon` is variadic.
static inline struct MHD_Daemon *cmhd_start(struct cmhd_options options, struct cmhd_callbacks callbacks) {
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)options.tls_key},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)options.tls_certificate},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)options.tls_priorities},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    return MHD_start_daemon(
        options.flags, 0, NULL, NULL, callbacks.handle, callbacks.context,
        MHD_OPTION_EXTERNAL_LOGGER, callbacks.log, callbacks.context,
        MHD_OPTION_CONNECTION_LIMIT, options.connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, options.timeout_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options.memory_limit,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks.completed, callbacks.context,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks.connection, callbacks.context,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks.target, callbacks.context,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_ARRAY, (options.flags & MHD_USE_TLS) ? tls : none,
        MHD_OPTION_END);
}

/// `MHD_get_connection_info` is variadic. What was stored for the connection's socket.
static inline void *cmhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/// The connection's descriptor, or -1.
static inline int cmhd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// `MHD_get_daemon_info` is variadic. The daemon's epoll descriptor, or -1.
static inline int cmhd_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

/// `MHD_set_response_options` is variadic. Neither chunks nor keep-alive for this response.
static inline void cmhd_end_with_connection(struct MHD_Response *response) {
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}
