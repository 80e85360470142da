#include "shim.h"

/// Whom the thread tells of what it receives; only while libmicrohttpd runs on it.
static _Thread_local const struct cmhd_receiver *receiver;

void cmhd_run(struct MHD_Daemon *daemon, struct cmhd_receiver told) {
    const struct cmhd_receiver *outer = receiver;
    receiver = &told;
    MHD_run(daemon);
    receiver = outer;
}

/// The first byte that libmicrohttpd would take for a line's end though it is none: a NUL, or a line of a colon and a bare line
/// feed; NULL for none. Such a line that came in two parts is for the one who knows what came before.
static const char *odd_byte(const char *start, size_t size) {
    bool found = start[0] == 0 || (size > 1 && start[0] == ':' && start[1] == '\n');
    // Without a branch, so that the compiler looks at many bytes at once.
    for (size_t i = 1; i < size; i++) found |= start[i] == 0;
    for (size_t i = 2; i < size; i++) found |= (start[i - 2] == '\n') & (start[i - 1] == ':') & (start[i] == '\n');
    if (!found) return NULL;
    for (size_t i = 0; i < size; i++) {
        bool begins_line = i == 0 || start[i - 1] == '\n';
        if (start[i] == 0 || (begins_line && start[i] == ':' && i + 1 < size && start[i + 1] == '\n')) return start + i;
    }
    return NULL;
}

/// The shortest request line and the empty line behind it: `GET / HTTP/1.0`.
static const size_t shortest_head = 18;

/// Looks at what has come, before libmicrohttpd writes over it.
static void received(int descriptor, const char *start, ssize_t count, bool is_tls) {
    if (!receiver || receiver->is_tls != is_tls || count <= 0) return;
    size_t size = (size_t)count;
    const char *odd = odd_byte(start, size);
    bool is_fragment = size < shortest_head || start[0] == '\r' || start[0] == '\n' || !memchr(start, '\n', size);
    if (odd || is_fragment) receiver->received(receiver->context, descriptor, start, odd);
}

// The two functions that libmicrohttpd receives with. It offers no way to see what came, and the program's own definitions
// come before those of the libraries; for all others they are what they were.

ssize_t recv(int descriptor, void *buffer, size_t size, int flags) {
    ssize_t count = recvfrom(descriptor, buffer, size, flags, NULL, NULL);
    received(descriptor, buffer, count, false);
    return count;
}

ssize_t gnutls_record_recv(gnutls_session_t session, void *buffer, size_t size) {
    unsigned char sequence[8];
    ssize_t count = gnutls_record_recv_seq(session, buffer, size, sequence);
    received(gnutls_transport_get_int(session), buffer, count, true);
    return count;
}
