#include "shim.h"

#include <errno.h>

/// Whom the thread tells of what it receives; only while libmicrohttpd runs on it.
static _Thread_local const struct cmhd_receiver *receiver;

void cmhd_run(struct MHD_Daemon *daemon, struct cmhd_receiver told) {
    const struct cmhd_receiver *outer = receiver;
    receiver = &told;
    MHD_run(daemon);
    receiver = outer;
}

/// The first NUL, or line feed without a carriage return in front of it; NULL for none. What stands in front of the first byte
/// is not known here.
static const char *odd_byte(const char *start, size_t size) {
    bool found = start[0] == 0 || start[0] == '\n';
    // Without a branch, so that the compiler looks at many bytes at once.
    for (size_t i = 1; i < size; i++) found |= (start[i] == 0) | ((start[i] == '\n') & (start[i - 1] != '\r'));
    if (!found) return NULL;
    for (size_t i = 0; i < size; i++) {
        if (start[i] == 0 || (start[i] == '\n' && (i == 0 || start[i - 1] != '\r'))) return start + i;
    }
    return NULL;
}

/// Tells of what has come, before libmicrohttpd writes over it. False where the end of the peer's direction is to be kept back.
static bool received(int descriptor, const char *start, ssize_t count, bool is_tls) {
    if (!receiver || receiver->is_tls != is_tls) return true;
    if (count == 0) return receiver->ended(receiver->context, descriptor);
    if (count > 0) receiver->received(receiver->context, descriptor, start, (size_t)count, odd_byte(start, (size_t)count));
    return true;
}

// The two functions that libmicrohttpd receives with. It offers no way to see what came, and the program's own definitions
// come before those of the libraries; for all others they are what they were.

ssize_t recv(int descriptor, void *buffer, size_t size, int flags) {
    ssize_t count = recvfrom(descriptor, buffer, size, flags, NULL, NULL);
    if (received(descriptor, buffer, count, false)) return count;
    errno = EAGAIN;
    return -1;
}

ssize_t gnutls_record_recv(gnutls_session_t session, void *buffer, size_t size) {
    unsigned char sequence[8];
    ssize_t count = gnutls_record_recv_seq(session, buffer, size, sequence);
    return received(gnutls_transport_get_int(session), buffer, count, true) ? count : GNUTLS_E_AGAIN;
}
