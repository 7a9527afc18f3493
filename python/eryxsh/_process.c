/* Requests that another process answers.
 *
 * Each child process is reached over channels, which are stream sockets: one
 * for each thread that calls it at the same time, made when they are needed and
 * then kept. On a channel a request and its answer follow each other:
 *
 *   request:  size, blob size (two int64), the request, the blob
 *   answer:   tag, size (two int64), the body
 *
 * in the form that border.h gives them. Besides there is the control socket, on which
 * the child gets its channels; when it closes, the child ends. (Not PR_SET_PDEATHSIG:
 * that is sent when the thread that made the child ends.)
 *
 * The host's side runs with the GIL held except where it waits. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* macOS: SO_NOSIGPIPE */
#endif

enum { LOOK_MS = 100, PATIENT_MS = 100, ANSWER_ROOM = 16384, REQUEST_ROOM = 65536, STACK = 1 << 20 };

/* ---- the host's side ---- */

enum { FREE, OPEN, ENDED, FORKED };

typedef struct {
  int state;
  int control;
  int *fds; /* of the channels: those that nobody uses, then the others */
  int idle, all, room;
  int leaving; /* free it when its last channel comes back */
} process;

static struct {
  process *of;
  int size;
} table;

static process *find(long number) { return number >= 0 && number < table.size ? &table.of[number] : NULL; }

long far_process(int64_t handle) {
  int64_t generation = handle >> GENERATION_SHIFT;
  return handle > 0 && generation >> FAR_BIT ? (long)(generation & ((1 << FAR_BIT) - 1)) : -1;
}

int far_mine(int64_t handle) {
  process *p = find(far_process(handle));
  return p != NULL && p->state == OPEN;
}

void far_forked(void) {
  for (int i = 0; i < table.size; i++) {
    process *p = &table.of[i];
    if (p->state == FREE) continue;
    for (int j = 0; j < p->all; j++) close(p->fds[j]);
    if (p->control >= 0) close(p->control);
    p->control = -1;
    p->idle = p->all = 0;
    p->state = FORKED;
  }
}

PyObject *far_add(PyObject *self, PyObject *control) {
  long fd = PyLong_AsLong(control);
  if (fd == -1 && PyErr_Occurred()) return NULL;
  int number = 0;
  while (number < table.size && table.of[number].state != FREE) number++;
  if (number == table.size) {
    if (number == 1 << FAR_BIT) {
      PyErr_SetString(PyExc_RuntimeError, "too many processes");
      return NULL;
    }
    int size = table.size ? 2 * table.size : 8;
    process *grown = realloc(table.of, (size_t)size * sizeof *grown);
    if (grown == NULL) return PyErr_NoMemory();
    memset(grown + table.size, 0, (size_t)(size - table.size) * sizeof *grown);
    table.of = grown;
    table.size = size;
  }
  process *p = &table.of[number];
  *p = (process){.state = OPEN, .control = (int)fd, .fds = p->fds, .room = p->room};
  return PyLong_FromLongLong(number);
}

/* A channel comes back; one that is no good, or too late, is closed. */
static void give(long number, int fd, int good) {
  process *p = find(number);
  int i = p->idle;
  while (i < p->all && p->fds[i] != fd) i++;
  if (i == p->all) return; /* closed by far_forked */
  if (good && p->state == OPEN) {
    p->fds[i] = p->fds[p->idle];
    p->fds[p->idle++] = fd;
    return;
  }
  close(fd);
  p->fds[i] = p->fds[--p->all];
  if (p->leaving && p->all == 0) p->state = FREE;
}

/* One channel more: a pair of sockets, one of which the process gets. */
static int open_channel(process *p) {
  if (p->all == p->room) {
    int room = p->room ? 2 * p->room : 4;
    int *grown = realloc(p->fds, (size_t)room * sizeof *grown);
    if (grown == NULL) {
      PyErr_NoMemory();
      return -1;
    }
    p->fds = grown;
    p->room = room;
  }
  int pair[2];
#ifdef SOCK_CLOEXEC
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
#else
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || fcntl(pair[0], F_SETFD, FD_CLOEXEC) != 0 || fcntl(pair[1], F_SETFD, FD_CLOEXEC) != 0) {
#endif
    PyErr_SetFromErrno(PyExc_OSError);
    return -1;
  }
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
  } extra = {.room = {0}};
  struct iovec part = {"c", 1};
  struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &extra, .msg_controllen = sizeof extra};
  struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  *c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
  memcpy(CMSG_DATA(c), &pair[1], sizeof(int));
  ssize_t n;
  while ((n = sendmsg(p->control, &m, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  close(pair[1]); /* if it could not be sent, the first read says that nobody is there */
  struct timeval look = {0, LOOK_MS * 1000};
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
  setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &look, sizeof look);
#ifdef SO_NOSIGPIPE
  int on = 1;
  setsockopt(pair[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  p->fds[p->all++] = p->fds[p->idle];
  p->fds[p->idle++] = pair[0];
  return 0;
}

/* Let go of a process: channels in use are closed by whoever uses them. */
PyObject *far_end(PyObject *self, PyObject *which) {
  process *p = find(PyLong_AsLong(which));
  if (PyErr_Occurred()) return NULL;
  if (p != NULL && p->state == OPEN) {
    p->state = ENDED;
    for (int i = 0; i < p->idle; i++) close(p->fds[i]);
    memmove(p->fds, p->fds + p->idle, (size_t)(p->all - p->idle) * sizeof *p->fds);
    p->all -= p->idle;
    p->idle = 0;
    close(p->control);
    p->control = -1;
  }
  Py_RETURN_NONE;
}

/* Nobody will name this process any more. */
PyObject *far_free(PyObject *self, PyObject *which) {
  process *p = find(PyLong_AsLong(which));
  if (PyErr_Occurred()) return NULL;
  if (p != NULL && p->state != FREE && p->state != OPEN) {
    p->leaving = 1;
    if (p->all == 0) p->state = FREE;
  }
  Py_RETURN_NONE;
}

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What is to be sent, or received, and how much of it was. */
typedef struct {
  struct iovec part[3];
  int parts;
} transfer;

static void add(transfer *t, const void *data, int64_t size) {
  if (size > 0) t->part[t->parts++] = (struct iovec){(void *)data, (size_t)size};
}

static void advance(transfer *t, size_t n) {
  while (n > 0 && t->parts > 0) {
    if (n < t->part[0].iov_len) {
      t->part[0] = (struct iovec){(char *)t->part[0].iov_base + n, t->part[0].iov_len - n};
      return;
    }
    n -= t->part[0].iov_len;
    t->parts--;
    memmove(t->part, t->part + 1, (size_t)t->parts * sizeof *t->part);
  }
}

enum { MOVED, LATE, LOST };

/* Moves all of a transfer, or until it is time to look around. */
static int send_all(int fd, transfer *t) {
  while (t->parts > 0) {
    struct msghdr m = {.msg_iov = t->part, .msg_iovlen = t->parts};
    ssize_t n = sendmsg(fd, &m, MSG_NOSIGNAL);
    if (n >= 0)
      advance(t, (size_t)n);
    else
      return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? LATE : LOST;
  }
  return MOVED;
}

/* Receives at least `need` bytes more than `got`, and what else has come, up to `room`. */
static int receive(int fd, char *to, int64_t room, int64_t need, int64_t *got) {
  while (*got < need) {
    ssize_t n = recv(fd, to + *got, (size_t)(room - *got), 0);
    if (n > 0)
      *got += n;
    else if (n == 0)
      return LOST;
    else
      return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? LATE : LOST;
  }
  return MOVED;
}

/* A call under way. */
typedef struct {
  PyObject *hooks;
  int64_t handle;
  long number, method;
  int64_t began;
  int fd;
} exchange;

static int gone(PyObject *hooks, long number, int64_t handle) {
  PyObject *n = PyLong_FromLongLong(number), *h = PyLong_FromLongLong(handle), *none = NULL;
  if (n != NULL && h != NULL) none = PyObject_CallFunctionObjArgs(PyTuple_GetItem(hooks, 1), n, h, NULL);
  if (none != NULL) PyErr_SetString(PyExc_RuntimeError, "the process of this handle is not there");
  Py_XDECREF(n);
  Py_XDECREF(h);
  Py_XDECREF(none);
  return -1;
}

/* Called when a call takes long: signals are handled, and somebody looks whether the process lives. */
static int look(exchange *x) {
  int64_t elapsed = now_ms() - x->began;
  if (elapsed >= PATIENT_MS && PyErr_CheckSignals() < 0) return -1;
  PyObject *n = PyLong_FromLongLong(x->number), *m = PyLong_FromLongLong(x->method), *e = PyLong_FromLongLong(elapsed), *done = NULL;
  if (n != NULL && m != NULL && e != NULL) done = PyObject_CallFunctionObjArgs(PyTuple_GetItem(x->hooks, 0), n, m, e, NULL);
  Py_XDECREF(n);
  Py_XDECREF(m);
  Py_XDECREF(e);
  Py_XDECREF(done);
  return done == NULL ? -1 : 0;
}

/* What to do about how a transfer went: 0 it is done, 1 try again, -1 an exception is set. */
static int went(exchange *x, int how) {
  process *p = find(x->number);
  if (how != LOST && p->state == OPEN) {
    if (how == MOVED) return 0;
    if (look(x) < 0) return -1;
    p = find(x->number); /* Python ran: it may have forked, or ended the process */
    if (p->state == OPEN) return 1;
  }
  return gone(x->hooks, x->number, x->handle);
}

static int converse(exchange *x, transfer *out, void *buffer, int64_t room, far_reply *reply) {
  struct {
    int64_t tag, size;
    char body[ANSWER_ROOM];
  } in;
  int64_t got = 0;
  int how, then;
  do {
    Py_BEGIN_ALLOW_THREADS
    how = send_all(x->fd, out);
    if (how == MOVED) how = receive(x->fd, (char *)&in, sizeof in, 16, &got);
    Py_END_ALLOW_THREADS
  } while ((then = went(x, how)) > 0);
  if (then < 0) return -1;
  reply->tag = in.tag;
  reply->size = in.size;
  if (in.size < 0 || got - 16 > in.size) {
    PyErr_SetString(PyExc_RuntimeError, "an answer that is not well-formed");
    return -1;
  }
  char *to = buffer;
  if (in.size > room) {
    if ((reply->large = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)in.size)) == NULL) return -1;
    to = PyBytes_AsString(reply->large);
  }
  got -= 16;
  memcpy(to, in.body, (size_t)got);
  do {
    Py_BEGIN_ALLOW_THREADS
    how = receive(x->fd, to, in.size, in.size, &got);
    Py_END_ALLOW_THREADS
  } while ((then = went(x, how)) > 0);
  return then;
}

int far_call(PyObject *hooks, int64_t handle, long method, const void *request, int64_t size, const void *blob, int64_t blob_size,
             void *buffer, int64_t room, far_reply *reply) {
  long number = far_process(handle);
  process *p = find(number);
  if (p == NULL || p->state != OPEN) return gone(hooks, number, handle);
  if (p->idle == 0 && open_channel(p) < 0) return -1;
  exchange x = {hooks, handle, number, method, now_ms(), p->fds[--p->idle]};
  int64_t sizes[2] = {size, blob_size};
  transfer out = {.parts = 0};
  add(&out, sizes, sizeof sizes);
  add(&out, request, size);
  add(&out, blob, blob_size);
  reply->large = NULL;
  int failed = converse(&x, &out, buffer, room, reply);
  if (failed && reply->large != NULL) Py_DECREF(reply->large);
  PyObject *type, *error, *trace;
  if (failed) PyErr_Fetch(&type, &error, &trace);
  give(number, x.fd, !failed);
  if (failed) PyErr_Restore(type, error, trace);
  return failed;
}

/* ---- the child's side ---- */

static struct {
  eryx_call_fn call;
  eryx_fetch_fn fetch;
  eryx_release_fn release;
} core;

static void quit(const char *why) {
  if (write(2, why, strlen(why)) < 0) _exit(3);
  _exit(2);
}

static void *need(void *old, int64_t size) {
  void *p = realloc(old, (size_t)size);
  if (p == NULL) quit("out of memory: a request has no room\n");
  return p;
}

/* The body of an answer that did not fit into the buffer. */
static int send_large(int fd, const eryx_reply *r) {
  int64_t head[2] = {r->tag, r->size};
  transfer out = {.parts = 0};
  void *copy = NULL;
  add(&out, head, sizeof head);
  if (r->data == NULL) {
    copy = need(NULL, r->size);
    if (core.fetch(r->ticket, copy, r->size)) {
      head[0] = 2; /* an error that does not say why */
      head[1] = 0;
    }
  }
  add(&out, copy ? copy : r->data, head[1]);
  int how = send_all(fd, &out);
  free(copy);
  core.release(r->ticket);
  return how;
}

/* One channel: requests and their answers until it closes. */
static void *answer(void *channel) {
  int fd = (int)(intptr_t)channel;
  int64_t room = REQUEST_ROOM;
  char *in = need(NULL, room);
  struct {
    int64_t tag, size;
    char body[ANSWER_ROOM];
  } *out = need(NULL, sizeof *out);
  for (;;) {
    int64_t got = 0, sizes[2];
    if (receive(fd, in, room, 16, &got) != MOVED) break;
    memcpy(sizes, in, sizeof sizes);
    int64_t whole = 16 + sizes[0];
    if (whole + sizes[1] <= room) whole += sizes[1];
    if (whole > room) in = need(in, room = whole);
    if (receive(fd, in, whole, whole, &got) != MOVED) break;
    char *blob = sizes[1] ? in + 16 + sizes[0] : NULL, *own = NULL;
    if (blob != NULL && whole == 16 + sizes[0]) { /* it has memory of its own, for as long as it is needed */
      blob = own = need(NULL, sizes[1]);
      got -= whole;
      memcpy(own, in + whole, (size_t)got);
      if (receive(fd, own, sizes[1], sizes[1], &got) != MOVED) {
        free(own);
        break;
      }
    }
    eryx_reply r = {0};
    core.call(in + 16, sizes[0], blob, sizes[1], out->body, ANSWER_ROOM, &r);
    free(own);
    if (r.ticket) {
      if (send_large(fd, &r) != MOVED) break;
      continue;
    }
    out->tag = r.tag;
    out->size = r.size;
    transfer t = {.parts = 0};
    add(&t, out, 16 + r.size);
    if (send_all(fd, &t) != MOVED) break;
  }
  close(fd);
  free(in);
  free(out);
  return NULL;
}

/* A channel off the control socket; -1 when that has closed. */
static int next_channel(int control) {
  char byte;
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
  } extra;
  struct iovec part = {&byte, 1};
  struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &extra, .msg_controllen = sizeof extra};
  ssize_t n;
  while ((n = recvmsg(control, &m, 0)) < 0 && errno == EINTR) {
  }
  struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
  if (c == NULL || c->cmsg_type != SCM_RIGHTS) return -1;
  int fd;
  memcpy(&fd, CMSG_DATA(c), sizeof fd);
  return fd;
}

void far_serve(int control, eryx_call_fn call, eryx_fetch_fn fetch, eryx_release_fn release, long parent) {
  core.call = call;
  core.fetch = fetch;
  core.release = release;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, STACK);
  pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
  for (;;) {
    struct pollfd p = {control, POLLIN, 0};
    int ready = poll(&p, 1, 5000);
    if (ready < 0 && errno != EINTR) _exit(3);
    if (ready <= 0) {
      if (getppid() != (pid_t)parent) _exit(0); /* it has ended, and somebody it made has its socket */
      continue;
    }
    int fd = next_channel(control);
    if (fd < 0) _exit(0);
    pthread_t t;
    if (pthread_create(&t, &small, answer, (void *)(intptr_t)fd) != 0) quit("out of memory: no thread for a channel\n");
  }
}

void far_confine(int control) {
#if defined(__linux__) && defined(SYS_close_range)
  if (syscall(SYS_close_range, control > 2 ? control + 1 : 3, ~0U, 0) != 0)
#endif
  {
    struct rlimit files;
    int most = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 65536 ? (int)files.rlim_cur : 65536;
    for (int fd = 3; fd < most; fd++)
      if (fd != control) close(fd);
  }
  setsid(); /* what the terminal sends to the host's group is for the host */
  signal(SIGPIPE, SIG_IGN);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
#ifdef __GLIBC__
  pthread_attr_t small; /* the address space is bounded: the stacks of Go's threads need not be 8 MiB */
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, STACK);
  pthread_setattr_default_np(&small);
#endif
  if (chdir("/") != 0) quit("chdir\n");
}

void far_bound(int64_t memory) {
#ifdef __linux__
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (f == NULL || fscanf(f, "%ld", &pages) != 1) quit("/proc/self/statm cannot be read: there is no cap of memory without it\n");
  fclose(f);
  rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)memory;
  struct rlimit space = {most, most};
  if (setrlimit(RLIMIT_AS, &space) != 0) quit("the memory of the process cannot be bounded\n");
#else
  (void)memory; /* RLIMIT_AS is not heeded elsewhere: the limits of the sandbox are what there is */
#endif
}
