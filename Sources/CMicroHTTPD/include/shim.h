#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/// Declared by the C library only for GNU sources, and Swift compiles as plain POSIX.
extern int accept4(int listening, struct sockaddr *address, socklen_t *size, int flags);

/// What a daemon is started with; zero and NULL leave libmicrohttpd's default.
struct cmhd_options {
    unsigned int flags;
    unsigned int connection_limit;
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
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options.memory_limit,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks.completed, callbacks.context,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks.connection, callbacks.context,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks.target, callbacks.context,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_ARRAY, (options.flags & MHD_USE_TLS) ? tls : none,
        MHD_OPTION_END);
}

/// Who is told of what libmicrohttpd receives, with the bytes as they came: it writes over them before it calls anybody.
struct cmhd_receiver {
    void *context;
    /// Whether the daemon speaks TLS: GnuTLS itself receives by `recv`, and that says nothing.
    bool is_tls;
    /// Bytes have come. `odd` is the first of them that is a NUL, or a line feed behind anything but a carriage return, or NULL;
    /// a line feed that is the very first byte counts, whatever came before it.
    void (*received)(void *context, int descriptor, const char *start, size_t size, const char *odd);
    /// The peer has ended its direction; false keeps that from libmicrohttpd.
    bool (*ended)(void *context, int descriptor);
};

/// `MHD_run`, with somebody who is told of what it receives.
void cmhd_run(struct MHD_Daemon *daemon, struct cmhd_receiver told);

/// The value of `Date` for an answer of this moment (RFC 9110, 5.6.7), made anew each second; libmicrohttpd makes it for each
/// answer. Valid on this thread until the next call.
const char *cmhd_date(void);

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

/// `MHD_get_connection_info` is variadic. The bytes from the method to the end of the head's last, empty line, or 0.
static inline size_t cmhd_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/// Whether the bytes are a token (RFC 9110, 5.6.2).
static inline bool cmhd_is_token(const char *start, size_t size) {
    // One bit for each of the 128 characters.
    static const unsigned int tokens[4] = {0x00000000, 0x03FF6CFA, 0xC7FFFFFE, 0x57FFFFFF};
    if (size == 0) return false;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)start[i];
        if (byte > 127 || !(tokens[byte >> 5] >> (byte & 31) & 1)) return false;
    }
    return true;
}

/// Whether the bytes are capital letters, hyphens and underscores, as in the name of every method that is in use.
static inline bool cmhd_is_common_method(const char *start, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if ((start[i] < 'A' || start[i] > 'Z') && start[i] != '-' && start[i] != '_') return false;
    }
    return true;
}

/// One bit for each field that some refuse where it is there more than once; 0 for any other.
static inline unsigned int cmhd_single_field(const char *name, size_t size) {
    static const struct { size_t size; const char *name; } fields[] = {
        {6, "expect"}, {8, "if-match"}, {8, "if-range"}, {12, "content-type"}, {13, "authorization"},
        {13, "if-none-match"}, {13, "content-range"}, {17, "if-modified-since"}, {19, "if-unmodified-since"},
        {14, "sec-fetch-site"}, {14, "sec-fetch-mode"},
    };
    for (unsigned int i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (size == fields[i].size && strncasecmp(name, fields[i].name, size) == 0) return 1u << i;
    }
    return 0;
}

/// Whether the bytes hold no control character but tabs.
static inline bool cmhd_is_text(const char *start, size_t size) {
    bool found = false;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)start[i];
        found |= (byte < 0x20 && byte != 0x09) || byte == 0x7F;
    }
    return !found;
}

/// Whether a value lies where it was received: behind its name, the colon and blanks.
///
/// libmicrohttpd 0.9.75 takes a head apart where it lies: it puts a NUL over the colon and over both bytes of each line's
/// end. Only a folded line makes it write a name elsewhere, with the folded text behind the name, or over the text behind
/// it where that is the end of its buffer.
static inline bool cmhd_follows(const char *name, size_t name_size, const char *value) {
    const char *byte = name + name_size;
    if (value <= byte) return false;
    // Both lie in the connection's memory, and so does what is between them.
    for (byte++; byte < value; byte++) {
        if (*byte != ' ' && *byte != '\t') return false;
    }
    return true;
}

/// How far a check of certificate and key came.
enum cmhd_identity_part { CMHD_IDENTITY_CERTIFICATE, CMHD_IDENTITY_KEY, CMHD_IDENTITY_PAIR, CMHD_IDENTITY_SOUND };

/// What a check of certificate and key has found.
struct cmhd_identity {
    /// The part that is at fault.
    enum cmhd_identity_part fault;
    /// GnuTLS's error, or 0.
    int error;
    /// When the first certificate begins and ceases to be valid, in seconds since 1970.
    time_t begins, ends;
};

/// Reads two PEM texts as libmicrohttpd will.
static inline struct cmhd_identity cmhd_check_identity(const char *chain, const char *key) {
    struct cmhd_identity result = {CMHD_IDENTITY_CERTIFICATE, 0, 0, 0};
    gnutls_datum_t chain_text = {(unsigned char *)chain, (unsigned int)strlen(chain)};
    gnutls_datum_t key_text = {(unsigned char *)key, (unsigned int)strlen(key)};
    gnutls_x509_crt_t *certificates = NULL;
    unsigned int count = 0;
    result.error = gnutls_x509_crt_list_import2(&certificates, &count, &chain_text, GNUTLS_X509_FMT_PEM, 0);
    if (result.error < 0) return result;
    result.begins = gnutls_x509_crt_get_activation_time(certificates[0]);
    result.ends = gnutls_x509_crt_get_expiration_time(certificates[0]);
    for (unsigned int i = 0; i < count; i++) gnutls_x509_crt_deinit(certificates[i]);
    gnutls_free(certificates);

    result.fault = CMHD_IDENTITY_KEY;
    gnutls_x509_privkey_t private_key;
    result.error = gnutls_x509_privkey_init(&private_key);
    if (result.error < 0) return result;
    result.error = gnutls_x509_privkey_import2(private_key, &key_text, GNUTLS_X509_FMT_PEM, NULL, 0);
    gnutls_x509_privkey_deinit(private_key);
    if (result.error < 0) return result;

    result.fault = CMHD_IDENTITY_PAIR;
    gnutls_certificate_credentials_t credentials;
    result.error = gnutls_certificate_allocate_credentials(&credentials);
    if (result.error < 0) return result;
    result.error = gnutls_certificate_set_x509_key_mem(credentials, &chain_text, &key_text, GNUTLS_X509_FMT_PEM);
    gnutls_certificate_free_credentials(credentials);
    if (result.error < 0) return result;
    result.fault = CMHD_IDENTITY_SOUND;
    return result;
}

/// How many bytes the peer of a TCP connection has acknowledged since its beginning (`tcpi_bytes_acked`, which the C
/// library's own declaration of `struct tcp_info` does not have); -1 where that is not known.
static inline long long cmhd_acknowledged_bytes(int descriptor) {
    // linux/tcp.h: eight bytes, 24 numbers of four bytes, two of eight, then this one; what is there stays where it is.
    struct { unsigned char before[8]; unsigned int numbers[24]; unsigned long long rates[2], acknowledged; } info;
    socklen_t size = sizeof info;
    // 11 is TCP_INFO.
    if (getsockopt(descriptor, IPPROTO_TCP, 11, &info, &size) != 0 || size < sizeof info) return -1;
    return (long long)info.acknowledged;
}

/// How many bytes wait in the system for the peer to take them, or -1.
static inline int cmhd_waiting_bytes(int descriptor) {
    int count = 0;
    // 0x5411 is SIOCOUTQ, of TCP and of Unix sockets.
    return ioctl(descriptor, 0x5411, &count) == 0 ? count : -1;
}
