/* The C side of the border: what python/eryxsh/_ext.c looks up in the library
 * and capi/main.go exports. Every function may be called from any thread, and
 * none calls back but eryx_call in the middle of a step that takes long: see eryx_attend. */
#ifndef ERYXSH_BORDER_H
#define ERYXSH_BORDER_H

#include <stdint.h>

/* An answer. A body of at most `room` bytes (see eryx_call) is in the caller's
 * buffer and ticket is 0. A larger one waits under its ticket, until
 * eryx_release: `data` points at it, or is NULL when its bytes are only to be
 * had by eryx_fetch. */
typedef struct {
  int64_t tag;
  int64_t size;
  int64_t ticket;
  const void *data;
} eryx_reply;

/* eryx_init: first call of all. The generation tells this copy of the library
 * from the ones of processes this one was forked from. */
enum {
  ERYX_READY = 0,
  ERYX_USED = 1,    /* initialised before: dlopen gave an old copy */
  ERYX_STALE = 2,   /* built from another method table than the Python package */
  ERYX_BROKEN = 3   /* a panic */
};

typedef int64_t (*eryx_init_fn)(int64_t generation, const char *fingerprint, int64_t size);
typedef void (*eryx_call_fn)(const void *request, int64_t size, const void *blob, int64_t blob_size,
                             void *buffer, int64_t room, eryx_reply *reply);
/* eryx_attend: what eryx_call calls from time to time, on a thread of any call, while one step of a script takes
 * longer than a slice. If it gives anything but 0 the run ends, and the call. */
typedef int64_t (*eryx_wanted_fn)(void);
typedef void (*eryx_attend_fn)(eryx_wanted_fn wanted);
static inline int64_t eryx_ask(eryx_wanted_fn wanted) { return wanted(); }
typedef int64_t (*eryx_fetch_fn)(int64_t ticket, void *to, int64_t size); /* 0, or -1: the bytes are not all there */
typedef void (*eryx_release_fn)(int64_t ticket);

#endif
