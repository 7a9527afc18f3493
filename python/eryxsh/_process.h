/* Requests that another process answers: see _process.c. */
#ifndef ERYXSH_PROCESS_H
#define ERYXSH_PROCESS_H

#include "_python.h"

#include <stdint.h>

#include "border.h"

/* A handle's generation is its bits from 40 on. Those of a process that this one
 * has started have their highest bit set, and the rest is the number of the process. */
enum { GENERATION_SHIFT = 40, FAR_BIT = 22 };

typedef struct {
  int64_t tag, size;
  PyObject *large; /* a body that does not fit into the buffer, as bytes: a new reference */
} far_reply;

/* The number of the process that a handle belongs to, -1 for this one. */
long far_process(int64_t handle);

/* Whether a handle belongs to a process that this one has started, and not ended. */
int far_mine(int64_t handle);

/* One request and its answer. hooks is (late, gone). -1: an exception is set. */
int far_call(PyObject *hooks, int64_t handle, long method, const void *request, int64_t size, const void *blob, int64_t blob_size,
             void *buffer, int64_t room, far_reply *reply);

/* In a child that this process has forked: what it has inherited is its parent's. */
void far_forked(void);

/* Of the module. */
PyObject *far_add(PyObject *self, PyObject *control);
PyObject *far_end(PyObject *self, PyObject *number);
PyObject *far_free(PyObject *self, PyObject *number);

/* In the other process: answer requests until the socket `control` closes. Does not return. */
void far_serve(int control, eryx_call_fn call, eryx_fetch_fn fetch, eryx_release_fn release, long parent);

/* In the other process: take away what it does not need, before the library is loaded. */
void far_confine(int control);

/* In the other process: let it take so many bytes more than it has. */
void far_bound(int64_t memory);

#endif
