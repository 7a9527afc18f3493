/* eryxsh._ext: requests out of Python values, answers into Python values, and
 * the one call between them.
 *
 * The Go library is not linked but loaded by load(), so that importing the
 * package starts no Go runtime and a forked process can load a copy of its own.
 * The GIL is released around every call into it. Answers of up to 16 KiB come
 * through a buffer on the stack; larger ones are decoded where Go holds them,
 * or copied by Go straight into a bytes object: nothing is held twice.
 *
 * Only the stable ABI of Python 3.9 is used.
 *
 * CBOR (RFC 8949) as capi/WIRE.md restricts it: integers, byte strings, text
 * strings, arrays, maps, false, true, null, float64; definite lengths only. Text
 * is decoded and encoded with surrogateescape. */
#include "_python.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "_process.h"
#include "border.h"

enum { ROOM = 16384, DEPTH = 32, LENT = 4096 };
enum { TAG_VALUE = 0, TAG_BYTES = 1, TAG_ERROR = 2, TAG_AGAIN = 3 };
enum { UINT = 0, NINT = 1, BYTES = 2, TEXT = 3, ARRAY = 4, MAP = 5, TAG = 6, SIMPLE = 7 };

/* The library of this process. Written with the GIL held, or in a child
 * process before anything else runs there. */
static struct {
  int loaded;
  int64_t generation; /* forks between the first process and this one */
  eryx_call_fn call;
  eryx_fetch_fn fetch;
  eryx_release_fn release;
} lib;

/* A call of the main thread, where signals are handled, that is in the library. */
typedef struct inside {
  PyThreadState *saved;
  int64_t handle; /* of its sandbox, or 0 */
  int raised;        /* a signal's handler raised */
  jmp_buf forked;    /* where it goes on in the child, if a handler forks */
  struct inside *outer;
} inside;

static struct {
  int known;
  pthread_t thread;
  inside *call; /* the innermost: a handler may call, too */
} first;

static void after_fork_in_child(void) {
  lib.loaded = 0;
  lib.generation++;
  far_forked();
  first.known = 1;
  first.thread = pthread_self();
}

/* Whether this is the main thread. */
static int on_first_thread(void) {
  if (!first.known) {
#if defined(__linux__)
    if (syscall(SYS_gettid) != getpid()) return 0;
#elif defined(__APPLE__)
    if (!pthread_main_np()) return 0;
#else
    return 0;
#endif
    first.known = 1;
    first.thread = pthread_self();
  }
  return pthread_equal(pthread_self(), first.thread);
}

/* What the library calls in the middle of a step that takes long: handles the signals that have come. Not 0 if a
 * handler raised. */
static int64_t attend(void) {
  if (!on_first_thread() || first.call == NULL) return 0;
  inside *in = first.call;
  int64_t generation = lib.generation;
  PyEval_RestoreThread(in->saved);
  in->raised = PyErr_CheckSignals() < 0;
  if (generation != lib.generation) longjmp(in->forked, 1); /* the child: the frames of the library's are its parent's */
  in->saved = PyEval_SaveThread();
  return in->raised;
}

typedef struct {
  PyObject *not_loaded; /* the exception class NotLoaded */
  PyObject *busy;       /* SandboxBusyError */
  PyObject *shapes;     /* tag -> shape, a tuple */
  PyObject *failure;    /* makes an exception out of the fields of an error */
  PyObject *hooks;      /* what far_call asks */
  PyObject *calls, *output, *name, *id; /* keys of what serve looks at */
} state;

/* ---- encoding ---- */

typedef struct {
  uint8_t *at, *end, *base;
  uint8_t first[1024];
} writer;

static void begin(writer *w) {
  w->base = w->at = w->first;
  w->end = w->first + sizeof w->first;
}

static void finish(writer *w) {
  if (w->base != w->first) PyMem_Free(w->base);
}

static int grow(writer *w, Py_ssize_t more) {
  Py_ssize_t used = w->at - w->base, size = w->end - w->base;
  if (more > PY_SSIZE_T_MAX / 2 - size) {
    PyErr_NoMemory();
    return -1;
  }
  size = size * 2 > used + more ? size * 2 : used + more;
  uint8_t *b = w->base == w->first ? PyMem_Malloc(size) : PyMem_Realloc(w->base, size);
  if (b == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  if (w->base == w->first) memcpy(b, w->first, used);
  w->base = b;
  w->at = b + used;
  w->end = b + size;
  return 0;
}

#define NEED(w, n) ((w)->end - (w)->at < (Py_ssize_t)(n) && grow((w), (n)) < 0)

static int put_head(writer *w, int major, uint64_t n) {
  if (NEED(w, 9)) return -1;
  int bytes = n < 24 ? 0 : n <= 0xff ? 1 : n <= 0xffff ? 2 : n <= 0xffffffff ? 4 : 8;
  static const uint8_t info[] = {0, 24, 25, 0, 26, 0, 0, 0, 27};
  *w->at++ = (uint8_t)(major << 5 | (bytes ? info[bytes] : n));
  for (int i = bytes - 1; i >= 0; i--) *w->at++ = (uint8_t)(n >> (8 * i));
  return 0;
}

static int put_string(writer *w, int major, PyObject *bytes) {
  char *p;
  Py_ssize_t n;
  if (PyBytes_AsStringAndSize(bytes, &p, &n) < 0 || put_head(w, major, (uint64_t)n) < 0 || NEED(w, n)) return -1;
  memcpy(w->at, p, n);
  w->at += n;
  return 0;
}

static int put_int(writer *w, PyObject *o) {
  int overflow;
  long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow > 0) {
    unsigned long long u = PyLong_AsUnsignedLongLong(o);
    if (u == (unsigned long long)-1 && PyErr_Occurred()) return -1;
    return put_head(w, UINT, u);
  }
  if (overflow < 0) {
    PyErr_SetString(PyExc_OverflowError, "an integer below -2**63");
    return -1;
  }
  if (v == -1 && PyErr_Occurred()) return -1;
  return v >= 0 ? put_head(w, UINT, (uint64_t)v) : put_head(w, NINT, (uint64_t)(-1 - v));
}

static int put(writer *w, PyObject *o, int depth);

static int put_text(writer *w, PyObject *o) {
  PyObject *b = PyUnicode_AsUTF8String(o);
  if (b == NULL) { /* it has surrogates */
    PyErr_Clear();
    if ((b = PyUnicode_AsEncodedString(o, "utf-8", "surrogateescape")) == NULL) return -1;
  }
  int r = put_string(w, TEXT, b);
  Py_DECREF(b);
  return r;
}

static int put_dict(writer *w, PyObject *o, int depth) {
  PyObject *key, *value;
  Py_ssize_t at = 0, left = PyDict_Size(o);
  if (put_head(w, MAP, (uint64_t)left) < 0) return -1;
  while (left-- > 0 && PyDict_Next(o, &at, &key, &value))
    if (put(w, key, depth) < 0 || put(w, value, depth) < 0) return -1;
  return 0;
}

static int put_tuple(writer *w, PyObject *o, int depth) {
  Py_ssize_t n = PyTuple_Size(o);
  if (put_head(w, ARRAY, (uint64_t)n) < 0) return -1;
  for (Py_ssize_t i = 0; i < n; i++)
    if (put(w, PyTuple_GetItem(o, i), depth) < 0) return -1;
  return 0;
}

static int put(writer *w, PyObject *o, int depth) {
  if (depth <= 0) {
    PyErr_SetString(PyExc_ValueError, "a value nested too deep");
    return -1;
  }
  if (PyUnicode_Check(o)) return put_text(w, o);
  if (PyBytes_Check(o)) return put_string(w, BYTES, o);
  if (o == Py_None || o == Py_False || o == Py_True) {
    if (NEED(w, 1)) return -1;
    *w->at++ = o == Py_None ? 0xf6 : o == Py_True ? 0xf5 : 0xf4;
    return 0;
  }
  if (PyLong_Check(o)) return put_int(w, o);
  if (PyTuple_Check(o)) return put_tuple(w, o, depth - 1);
  if (PyDict_Check(o)) return put_dict(w, o, depth - 1);
  if (PyList_Check(o)) {
    PyObject *t = PyList_AsTuple(o);
    if (t == NULL) return -1;
    int r = put_tuple(w, t, depth - 1);
    Py_DECREF(t);
    return r;
  }
  if (PyFloat_Check(o)) {
    double d = PyFloat_AsDouble(o);
    uint64_t u;
    memcpy(&u, &d, 8);
    if (NEED(w, 9)) return -1;
    *w->at++ = 0xfb;
    for (int i = 7; i >= 0; i--) *w->at++ = (uint8_t)(u >> (8 * i));
    return 0;
  }
  PyErr_Format(PyExc_TypeError, "str, bytes, int, bool, float, None, list, tuple or dict is needed, not %R", (PyObject *)Py_TYPE(o));
  return -1;
}

/* The number of a method, then a map from 1, 2, ... to its arguments. None is
 * left out; so is a large Blob, which is lent instead. */
static int put_request(writer *w, long number, PyObject *args, long blob, PyObject **lent) {
  Py_ssize_t n = PyTuple_Size(args), present = 0;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *o = PyTuple_GetItem(args, i);
    if (i + 1 == blob && PyBytes_Check(o) && PyBytes_Size(o) > LENT)
      *lent = o;
    else if (o != Py_None)
      present++;
  }
  if (put_head(w, UINT, (uint64_t)number) < 0 || put_head(w, MAP, (uint64_t)present) < 0) return -1;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *o = PyTuple_GetItem(args, i);
    if (o == Py_None || o == *lent) continue;
    if (put_head(w, UINT, (uint64_t)i + 1) < 0 || put(w, o, DEPTH) < 0) return -1;
  }
  return 0;
}

/* ---- decoding ---- */

typedef struct {
  const uint8_t *at, *end;
} reader;

static PyObject *malformed(void) {
  PyErr_SetString(PyExc_ValueError, "an answer that is not well-formed");
  return NULL;
}

static int head(reader *r, int *major, int *info, uint64_t *n) {
  if (r->at >= r->end) return -1;
  *major = *r->at >> 5;
  *info = *r->at++ & 31;
  *n = (uint64_t)*info;
  if (*info < 24) return 0;
  if (*info > 27) return -1;
  int bytes = 1 << (*info - 24);
  if (r->end - r->at < bytes) return -1;
  *n = 0;
  while (bytes-- > 0) *n = *n << 8 | *r->at++;
  return 0;
}

static PyObject *get(reader *r, PyObject *shape, int depth);

/* A struct: shape is (defaults, names, shapes), each of the two tuples indexed
 * by the key. */
static PyObject *get_struct(reader *r, PyObject *shape, uint64_t n, int depth) {
  PyObject *names = PyTuple_GetItem(shape, 1), *shapes = PyTuple_GetItem(shape, 2);
  PyObject *d = PyDict_Copy(PyTuple_GetItem(shape, 0));
  if (d == NULL) return NULL;
  uint64_t known = (uint64_t)PyTuple_Size(names);
  while (n-- > 0) {
    int major, info;
    uint64_t key;
    if (head(r, &major, &info, &key) < 0 || major != UINT || key == 0 || key >= known) {
      Py_DECREF(d);
      return malformed();
    }
    PyObject *value = get(r, PyTuple_GetItem(shapes, (Py_ssize_t)key), depth);
    if (value == NULL || PyDict_SetItem(d, PyTuple_GetItem(names, (Py_ssize_t)key), value) < 0) {
      Py_XDECREF(value);
      Py_DECREF(d);
      return NULL;
    }
    Py_DECREF(value);
  }
  return d;
}

static PyObject *get_map(reader *r, uint64_t n, int depth) {
  PyObject *d = PyDict_New();
  if (d == NULL) return NULL;
  while (n-- > 0) {
    PyObject *key = get(r, Py_None, depth), *value = key == NULL ? NULL : get(r, Py_None, depth);
    int failed = value == NULL || PyDict_SetItem(d, key, value) < 0;
    Py_XDECREF(key);
    Py_XDECREF(value);
    if (failed) {
      Py_DECREF(d);
      return NULL;
    }
  }
  return d;
}

static PyObject *get_array(reader *r, PyObject *shape, uint64_t n, int depth) {
  PyObject *t = PyTuple_New((Py_ssize_t)n);
  if (t == NULL) return NULL;
  for (uint64_t i = 0; i < n; i++) {
    PyObject *value = get(r, shape, depth);
    if (value == NULL || PyTuple_SetItem(t, (Py_ssize_t)i, value) < 0) {
      Py_DECREF(t);
      return NULL;
    }
  }
  return t;
}

static PyObject *get_simple(int info, uint64_t n) {
  double d;
  switch (info) {
  case 20: Py_RETURN_FALSE;
  case 21: Py_RETURN_TRUE;
  case 22: Py_RETURN_NONE;
  case 27: memcpy(&d, &n, 8); return PyFloat_FromDouble(d);
  }
  return malformed();
}

static PyObject *get(reader *r, PyObject *shape, int depth) {
  int major, info;
  uint64_t n;
  if (depth <= 0 || head(r, &major, &info, &n) < 0) return malformed();
  if (major >= BYTES && major <= MAP && n > (uint64_t)(r->end - r->at)) return malformed();
  const char *p = (const char *)r->at;
  switch (major) {
  case UINT: return PyLong_FromUnsignedLongLong(n);
  case NINT: return n > INT64_MAX ? malformed() : PyLong_FromLongLong(-1 - (int64_t)n);
  case BYTES: r->at += n; return PyBytes_FromStringAndSize(p, (Py_ssize_t)n);
  case TEXT: r->at += n; return PyUnicode_DecodeUTF8(p, (Py_ssize_t)n, "surrogateescape");
  case ARRAY: return get_array(r, shape, n, depth - 1);
  case MAP: return shape == Py_None ? get_map(r, n, depth - 1) : get_struct(r, shape, n, depth - 1);
  case SIMPLE: return get_simple(info, n);
  }
  return malformed();
}

static PyObject *decode(const void *data, Py_ssize_t size, PyObject *shape) {
  reader r = {data, (const uint8_t *)data + size};
  PyObject *o = get(&r, shape, DEPTH);
  if (o != NULL && r.at != r.end) {
    Py_DECREF(o);
    return malformed();
  }
  return o;
}

/* ---- the call ---- */

/* The bytes of an answer that are its value. */
static PyObject *bytes_of(const eryx_reply *reply, const void *data) {
  PyObject *b = PyBytes_FromStringAndSize(reply->ticket ? NULL : data, (Py_ssize_t)reply->size);
  if (b != NULL && reply->ticket) {
    char *to = PyBytes_AsString(b);
    int64_t failed;
    Py_BEGIN_ALLOW_THREADS
    failed = lib.fetch(reply->ticket, to, reply->size);
    Py_END_ALLOW_THREADS
    if (failed) {
      Py_DECREF(b);
      PyErr_SetString(PyExc_RuntimeError, "the library could not give the bytes it announced");
      return NULL;
    }
  }
  return b;
}

/* The value that the body of an answer stands for, or its error. */
static PyObject *value_of(state *s, int64_t tag, const void *data, int64_t size, PyObject *shape) {
  if (tag != TAG_VALUE) {
    if (tag < 0 || tag >= PyTuple_Size(s->shapes) || PyTuple_GetItem(s->shapes, (Py_ssize_t)tag) == Py_None) {
      PyErr_Format(PyExc_RuntimeError, "the library gave an answer of kind %lld, which this version does not know", (long long)tag);
      return NULL;
    }
    shape = PyTuple_GetItem(s->shapes, (Py_ssize_t)tag);
  }
  if (tag == TAG_ERROR && size == 0) {
    PyErr_SetString(PyExc_RuntimeError, "the library failed without saying why");
    return NULL;
  }
  PyObject *value = decode(data, (Py_ssize_t)size, shape);
  if (value == NULL || tag != TAG_ERROR) return value;
  PyObject *e = PyObject_CallFunctionObjArgs(s->failure, value, NULL);
  Py_DECREF(value);
  if (e != NULL) {
    PyErr_SetObject((PyObject *)Py_TYPE(e), e);
    Py_DECREF(e);
  }
  return NULL;
}

/* The handle that says which process a request is for, 0 if none does. */
static int64_t route(PyObject *method, PyObject *arguments) {
  long at = PyLong_AsLong(PyTuple_GetItem(method, 3));
  PyObject *handle = at > 0 && at <= PyTuple_Size(arguments) ? PyTuple_GetItem(arguments, at - 1) : NULL;
  int overflow = 0;
  return handle != NULL && PyLong_Check(handle) ? PyLong_AsLongLongAndOverflow(handle, &overflow) : 0;
}

/* The call itself, without the GIL. */
static void enter(inside *in, const writer *w, const void *lent, int64_t lent_size, void *buffer, eryx_reply *reply) {
  int watched = on_first_thread();
  if (watched) {
    in->outer = first.call;
    first.call = in;
  }
  if (!watched || setjmp(in->forked) == 0) {
    in->saved = PyEval_SaveThread();
    lib.call(w->base, w->at - w->base, lent, lent_size, buffer, ROOM, reply);
    PyEval_RestoreThread(in->saved);
  }
  if (watched) first.call = in->outer;
}

/* Whether a call stands in the middle of one about the same sandbox: a handler of a signal made it. */
static int within(const inside *in) {
  for (const inside *o = in->outer; o != NULL; o = o->outer)
    if (o->handle != 0 && o->handle == in->handle) return 1;
  return 0;
}

/* Looks for the exception when it is needed: a process that isolates has the module without the package. */
static int knows_busy(state *s) {
  PyObject *errors = s->busy == NULL ? PyImport_ImportModule("eryxsh._errors") : NULL;
  if (errors != NULL) s->busy = PyObject_GetAttrString(errors, "SandboxBusyError");
  Py_XDECREF(errors);
  return s->busy != NULL;
}

/* A request to this process. 1: it is to be made again. */
static int ask_here(state *s, int64_t handle, const writer *w, PyObject *lent, PyObject *shape, PyObject **value) {
  inside in = {.handle = handle};
  const void *lent_at = lent == NULL ? NULL : PyBytes_AsString(lent);
  int64_t lent_size = lent == NULL ? 0 : PyBytes_Size(lent), generation = lib.generation;
  char buffer[ROOM];
  eryx_reply reply = {0};
  if (!lib.loaded || s->shapes == NULL) { /* asked each time: a signal handler may fork */
    PyErr_SetString(s->not_loaded, "the library is not loaded in this process");
    return 0;
  }
  enter(&in, w, lent_at, lent_size, buffer, &reply);
  if (generation != lib.generation) return !in.raised; /* a handler has forked, and this is the child */
  if (in.raised) {
    if (reply.ticket) lib.release(reply.ticket);
    return 0;
  }
  if (reply.tag == TAG_AGAIN) {
    if (!within(&in)) return 1;
    if (!knows_busy(s)) return 0;
    PyErr_SetString(s->busy, "a signal came in the middle of a step of this sandbox: its handler cannot use it, but for cancel");
    return 0;
  }
  const void *data = reply.ticket ? reply.data : buffer;
  *value = reply.tag == TAG_BYTES ? bytes_of(&reply, data) : value_of(s, reply.tag, data, reply.size, shape);
  if (reply.ticket && generation == lib.generation) lib.release(reply.ticket);
  return 0;
}

/* A request to another process. 1: it is to be made again. */
static int ask_far(state *s, int64_t handle, long number, const writer *w, PyObject *lent, PyObject *shape, PyObject **value) {
  char buffer[ROOM];
  far_reply reply;
  if (s->hooks == NULL) {
    PyErr_SetString(s->not_loaded, "no process was started by this one");
    return 0;
  }
  const void *lent_at = lent == NULL ? NULL : PyBytes_AsString(lent);
  if (far_call(s->hooks, handle, number, w->base, w->at - w->base, lent_at, lent == NULL ? 0 : PyBytes_Size(lent), buffer, ROOM, &reply) < 0)
    return 0;
  if (reply.tag == TAG_BYTES) {
    *value = reply.large != NULL ? reply.large : PyBytes_FromStringAndSize(buffer, (Py_ssize_t)reply.size);
    return 0;
  }
  if (reply.tag != TAG_AGAIN)
    *value = value_of(s, reply.tag, reply.large != NULL ? PyBytes_AsString(reply.large) : buffer, reply.size, shape);
  Py_XDECREF(reply.large);
  return reply.tag == TAG_AGAIN;
}

static PyObject *ask(state *s, PyObject *method, PyObject *arguments) {
  PyObject *lent = NULL, *value = NULL;
  if (!PyTuple_Check(method) || PyTuple_Size(method) < 4 || !PyTuple_Check(arguments)) {
    PyErr_SetString(PyExc_TypeError, "call takes a method and a tuple of arguments");
    return NULL;
  }
  long number = PyLong_AsLong(PyTuple_GetItem(method, 0)), blob = PyLong_AsLong(PyTuple_GetItem(method, 1));
  int64_t handle = route(method, arguments);
  if (PyErr_Occurred()) return NULL;
  int far = far_process(handle) >= 0, again;
  writer w;
  begin(&w);
  if (put_request(&w, number, arguments, blob, &lent) < 0) goto done;
  PyObject *shape = PyTuple_GetItem(method, 2);
  do {
    again = far ? ask_far(s, handle, number, &w, lent, shape, &value) : ask_here(s, handle, &w, lent, shape, &value);
  } while (again && PyErr_CheckSignals() == 0);
done:
  finish(&w);
  return value;
}

PyDoc_STRVAR(call_doc,
             "call((number, blob, shape, route), arguments)\n--\n\n"
             "Send a request and give its answer as Python values, or raise.\n\n"
             "Raises NotLoaded if this process has not loaded the library (again, after a fork).");

static PyObject *call(PyObject *self, PyObject *args) {
  PyObject *method, *arguments;
  if (!PyArg_UnpackTuple(args, "call", 2, 2, &method, &arguments)) return NULL;
  return ask(PyModule_GetState(self), method, arguments);
}

/* ---- tool calls ---- */

PyDoc_STRVAR(serve_doc,
             "serve(method, (handle, run, slice), functions, make, owner, take, step)\n--\n\n"
             "Answer tool calls as long as one call after another, and output, is all that happens.\n\n"
             "method is run.step, and step an answer of it. functions has a function for each name;\n"
             "it is called with make(owner, call), and the text or bytes it returns, or None, are the\n"
             "answer. take is called with the output before a call.\n\n"
             "Gives (step, call, value, error). call is None if step is anything else than one call of\n"
             "a name that functions has; otherwise the call is not answered, because its function\n"
             "returned another value, or raised the error.");

/* The only call that a step waits for, borrowed; NULL if it is anything else. */
static PyObject *only_call(state *s, PyObject *step) {
  PyObject *calls = PyDict_GetItem(step, s->calls);
  return calls == NULL || PyTuple_Size(calls) != 1 ? NULL : PyTuple_GetItem(calls, 0);
}

/* Hands a step's output over, which the step then has no more. */
static int take_output(state *s, PyObject *step, PyObject *take) {
  PyObject *output = PyDict_GetItem(step, s->output), *none, *taken;
  if (output == NULL || PyTuple_Size(output) == 0) return 0;
  Py_INCREF(output);
  int failed = (none = PyTuple_New(0)) == NULL || PyDict_SetItem(step, s->output, none) < 0;
  taken = failed ? NULL : PyObject_CallFunctionObjArgs(take, output, NULL);
  Py_DECREF(output);
  Py_XDECREF(none);
  Py_XDECREF(taken);
  return taken == NULL ? -1 : 0;
}

/* What a function's value is as output: a new reference, None for nothing; NULL without an error if it is something else. */
static PyObject *output_of(PyObject *value) {
  if (PyUnicode_Check(value)) return PyUnicode_AsEncodedString(value, "utf-8", "surrogateescape");
  if (!PyBytes_Check(value) && value != Py_None) return NULL;
  Py_INCREF(value);
  return value;
}

/* Answers a call with output and gives the step after it. */
static PyObject *answer_call(state *s, PyObject *method, PyObject *run, PyObject *asked, PyObject *out) {
  enum { SLICE = 2, CALL = 5, STDOUT = 6, ALL = 10 }; /* parameters of run.step, from 0 */
  PyObject *arguments = PyTuple_New(ALL), *step = NULL;
  for (Py_ssize_t i = 0; arguments != NULL && i < ALL; i++) {
    PyObject *o = i <= SLICE ? PyTuple_GetItem(run, i) : i == CALL ? PyDict_GetItem(asked, s->id) : i == STDOUT ? out : Py_None;
    Py_INCREF(o);
    PyTuple_SetItem(arguments, i, o);
  }
  if (arguments != NULL) step = ask(s, method, arguments);
  Py_XDECREF(arguments);
  return step;
}

/* The error at hand, which is none any more. */
static PyObject *caught(void) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (trace != NULL) PyException_SetTraceback(error, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return error;
}

static PyObject *serve(PyObject *self, PyObject *args) {
  state *s = PyModule_GetState(self);
  PyObject *method, *run, *functions, *make, *owner, *take, *step, *result = NULL;
  if (!PyArg_UnpackTuple(args, "serve", 7, 7, &method, &run, &functions, &make, &owner, &take, &step)) return NULL;
  if (!PyTuple_Check(run) || PyTuple_Size(run) != 3 || !PyDict_Check(functions) || !PyDict_Check(step)) {
    PyErr_SetString(PyExc_TypeError, "serve takes a method, a tuple of three, a dict, a callable, its first argument, a callable and a step");
    return NULL;
  }
  Py_INCREF(step);
  while (step != NULL && result == NULL) {
    PyObject *asked = only_call(s, step), *name = asked == NULL ? NULL : PyDict_GetItem(asked, s->name);
    PyObject *function = name == NULL ? NULL : PyDict_GetItem(functions, name), *next = NULL;
    if (function == NULL) {
      result = PyTuple_Pack(4, step, Py_None, Py_None, Py_None);
      break;
    }
    if (take_output(s, step, take) < 0) break;
    Py_INCREF(function);
    PyObject *call = PyObject_CallFunctionObjArgs(make, owner, asked, NULL);
    PyObject *value = call == NULL ? NULL : PyObject_CallFunctionObjArgs(function, call, NULL), *error = NULL;
    PyObject *out = value == NULL ? NULL : output_of(value);
    if (out != NULL) {
      if (PyErr_CheckSignals() == 0) next = answer_call(s, method, run, asked, out);
    } else if (call != NULL) {
      if (PyErr_Occurred()) error = caught();
      result = PyTuple_Pack(4, step, call, value == NULL ? Py_None : value, error == NULL ? Py_None : error);
    }
    Py_XDECREF(error);
    Py_XDECREF(out);
    Py_XDECREF(value);
    Py_XDECREF(call);
    Py_DECREF(function);
    if (result == NULL) {
      Py_DECREF(step);
      step = next;
    }
  }
  Py_XDECREF(step);
  return result;
}

/* ---- the module ---- */

static void keep(PyObject **where, PyObject *what) {
  Py_INCREF(what);
  Py_XDECREF(*where);
  *where = what;
}

PyDoc_STRVAR(load_doc,
             "load(path, fingerprint, shapes, failure)\n--\n\n"
             "Load the library into this process.\n\n"
             "shapes gives the shape of each tag's body; failure makes an exception of an error's fields.");

static PyObject *load(PyObject *self, PyObject *args) {
  state *s = PyModule_GetState(self);
  PyObject *path, *fingerprint, *shapes, *failure, *name, *print;
  if (!PyArg_UnpackTuple(args, "load", 4, 4, &path, &fingerprint, &shapes, &failure)) return NULL;
  if (!PyTuple_Check(shapes)) {
    PyErr_SetString(PyExc_TypeError, "shapes must be a tuple");
    return NULL;
  }
  if (!lib.loaded) {
    if (!PyUnicode_FSConverter(path, &name)) return NULL;
    void *h = dlopen(PyBytes_AsString(name), RTLD_NOW | RTLD_LOCAL);
    Py_DECREF(name);
    if (h == NULL) {
      PyErr_SetString(PyExc_ImportError, dlerror());
      return NULL;
    }
    eryx_init_fn init = (eryx_init_fn)dlsym(h, "eryx_init");
    lib.call = (eryx_call_fn)dlsym(h, "eryx_call");
    lib.fetch = (eryx_fetch_fn)dlsym(h, "eryx_fetch");
    lib.release = (eryx_release_fn)dlsym(h, "eryx_release");
    eryx_attend_fn listen = (eryx_attend_fn)dlsym(h, "eryx_attend");
    if (!init || !lib.call || !lib.fetch || !lib.release || !listen) {
      PyErr_SetString(PyExc_ImportError, "the library lacks a function: build it again (pip install)");
      return NULL;
    }
    if ((print = PyUnicode_AsEncodedString(fingerprint, "utf-8", "strict")) == NULL) return NULL;
    int64_t r = init(lib.generation, PyBytes_AsString(print), PyBytes_Size(print));
    Py_DECREF(print);
    if (r != ERYX_READY) {
      PyErr_SetString(PyExc_ImportError,
                      r == ERYX_USED    ? "the library belongs to the process this one was forked from"
                      : r == ERYX_STALE ? "the library and the Python files are of different versions: build again (pip install)"
                                        : "the library could not start");
      return NULL;
    }
    listen(attend);
    lib.loaded = 1;
  }
  keep(&s->shapes, shapes);
  keep(&s->failure, failure);
  Py_RETURN_NONE;
}

PyDoc_STRVAR(far_doc,
             "far(shapes, failure, hooks)\n--\n\n"
             "Make requests to other processes possible.\n\n"
             "hooks are late(number, method, ms), told again and again while a call lasts long, and\n"
             "gone(number, handle), which raises why there is no process.");

static PyObject *far(PyObject *self, PyObject *args) {
  state *s = PyModule_GetState(self);
  PyObject *shapes, *failure, *hooks;
  if (!PyArg_UnpackTuple(args, "far", 3, 3, &shapes, &failure, &hooks)) return NULL;
  if (!PyTuple_Check(shapes) || !PyTuple_Check(hooks) || PyTuple_Size(hooks) != 2) {
    PyErr_SetString(PyExc_TypeError, "far takes a tuple, a callable and a tuple of two");
    return NULL;
  }
  keep(&s->shapes, shapes);
  keep(&s->failure, failure);
  keep(&s->hooks, hooks);
  Py_RETURN_NONE;
}

static PyObject *far_ready(PyObject *self, PyObject *unused) { return PyBool_FromLong(((state *)PyModule_GetState(self))->hooks != NULL); }

PyDoc_STRVAR(far_main_doc,
             "far_main(path, fingerprint, generation, memory, parent, shapes, failure)\n--\n\n"
             "Be the process that another one has started with its control socket as descriptor 0: confine it,\n"
             "load the library, bound its memory, and answer requests. Does not return.");

static PyObject *far_main(PyObject *self, PyObject *args) {
  PyObject *path, *fingerprint, *generation, *memory, *parent, *shapes, *failure;
  if (!PyArg_UnpackTuple(args, "far_main", 7, 7, &path, &fingerprint, &generation, &memory, &parent, &shapes, &failure)) return NULL;
  long of = PyLong_AsLong(generation), most = PyLong_AsLong(memory), host = PyLong_AsLong(parent);
  if (PyErr_Occurred()) return NULL;
  far_confine(0);
  lib.generation = of;
  PyObject *given = PyTuple_Pack(4, path, fingerprint, shapes, failure), *none = given == NULL ? NULL : load(self, given);
  if (none == NULL) return NULL;
  far_bound(most);
  Py_BEGIN_ALLOW_THREADS
  far_serve(0, lib.call, lib.fetch, lib.release, host);
  Py_END_ALLOW_THREADS
  return none;
}

static PyObject *mine(PyObject *self, PyObject *handle) {
  int overflow;
  int64_t h = PyLong_AsLongLongAndOverflow(handle, &overflow);
  if (PyErr_Occurred()) return NULL;
  return PyBool_FromLong(far_process(h) >= 0 ? far_mine(h) : h >> GENERATION_SHIFT == lib.generation);
}

static PyObject *loaded(PyObject *self, PyObject *unused) {
  state *s = PyModule_GetState(self); /* a subinterpreter shares the library but not the shapes */
  return PyBool_FromLong(lib.loaded && s->shapes != NULL);
}

static PyObject *generation(PyObject *self, PyObject *unused) { return PyLong_FromLongLong(lib.generation); }

static PyObject *in_main(PyObject *self, PyObject *unused) {
  return PyBool_FromLong(PyInterpreterState_GetID(PyInterpreterState_Get()) == 0);
}

static PyObject *encode_value(PyObject *self, PyObject *o) {
  writer w;
  begin(&w);
  PyObject *b = put(&w, o, DEPTH) < 0 ? NULL : PyBytes_FromStringAndSize((char *)w.base, w.at - w.base);
  finish(&w);
  return b;
}

static PyObject *decode_value(PyObject *self, PyObject *args) {
  PyObject *data, *shape;
  char *p;
  Py_ssize_t n;
  if (!PyArg_UnpackTuple(args, "decode", 2, 2, &data, &shape) || PyBytes_AsStringAndSize(data, &p, &n) < 0) return NULL;
  return decode(p, n, shape);
}

static PyMethodDef methods[] = {
    {"call", call, METH_VARARGS, call_doc},
    {"serve", serve, METH_VARARGS, serve_doc},
    {"load", load, METH_VARARGS, load_doc},
    {"loaded", loaded, METH_NOARGS, PyDoc_STR("loaded()\n--\n\nWhether this interpreter has loaded the library, in this process.")},
    {"generation", generation, METH_NOARGS, PyDoc_STR("generation()\n--\n\nHow many forks lie between the first process and this one.")},
    {"far", far, METH_VARARGS, far_doc},
    {"far_ready", far_ready, METH_NOARGS, PyDoc_STR("far_ready()\n--\n\nWhether far was called.")},
    {"far_main", far_main, METH_VARARGS, far_main_doc},
    {"far_add", far_add, METH_O, PyDoc_STR("far_add(control)\n--\n\nA number for a process, whose control socket it takes.")},
    {"far_end", far_end, METH_O, PyDoc_STR("far_end(number)\n--\n\nClose what leads to a process: it ends.")},
    {"far_free", far_free, METH_O, PyDoc_STR("far_free(number)\n--\n\nThe number of a process that has ended may be given again.")},
    {"mine", mine, METH_O, PyDoc_STR("mine(handle)\n--\n\nWhether a handle belongs to this process or one it has started, and still has.")},
    {"in_main", in_main, METH_NOARGS, PyDoc_STR("in_main()\n--\n\nWhether this is the main interpreter of the process.")},
    {"encode", encode_value, METH_O, PyDoc_STR("encode(value)\n--\n\nA value as CBOR.")},
    {"decode", decode_value, METH_VARARGS, PyDoc_STR("decode(data, shape)\n--\n\nCBOR as a value.")},
    {NULL, NULL, 0, NULL}};

static int started(PyObject *module) {
  static int registered;
  state *s = PyModule_GetState(module);
  if (!registered && pthread_atfork(NULL, NULL, after_fork_in_child) != 0) {
    PyErr_NoMemory();
    return -1;
  }
  registered = 1;
  on_first_thread(); /* which is known from now on, if it is this one */
  s->calls = PyUnicode_InternFromString("calls");
  s->output = PyUnicode_InternFromString("output");
  s->name = PyUnicode_InternFromString("name");
  s->id = PyUnicode_InternFromString("id");
  if (s->calls == NULL || s->output == NULL || s->name == NULL || s->id == NULL) return -1;
  s->not_loaded = PyErr_NewException("eryxsh._ext.NotLoaded", PyExc_RuntimeError, NULL);
  return s->not_loaded == NULL ? -1 : PyModule_AddObject(module, "NotLoaded", (Py_INCREF(s->not_loaded), s->not_loaded));
}

static int visit_state(PyObject *module, visitproc visit, void *arg) {
  state *s = PyModule_GetState(module);
  Py_VISIT(s->not_loaded);
  Py_VISIT(s->busy);
  Py_VISIT(s->shapes);
  Py_VISIT(s->failure);
  Py_VISIT(s->hooks);
  Py_VISIT(s->calls);
  Py_VISIT(s->output);
  Py_VISIT(s->name);
  Py_VISIT(s->id);
  return 0;
}

static int clear_state(PyObject *module) {
  state *s = PyModule_GetState(module);
  Py_CLEAR(s->not_loaded);
  Py_CLEAR(s->busy);
  Py_CLEAR(s->shapes);
  Py_CLEAR(s->failure);
  Py_CLEAR(s->hooks);
  Py_CLEAR(s->calls);
  Py_CLEAR(s->output);
  Py_CLEAR(s->name);
  Py_CLEAR(s->id);
  return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, started}, {0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "eryxsh._ext", "The native side of eryxsh: see _native.py.",
                                        sizeof(state), methods, slots, visit_state, clear_state, NULL};

PyMODINIT_FUNC PyInit__ext(void) { return PyModuleDef_Init(&definition); }
