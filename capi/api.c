/* The C API's own side: what must happen in C before Go is entered. Whether this
 * process is the one that loaded the library (Go does not run in a forked child), whose
 * thread's error it is, and what the structs of older programs lack. */
#include "eryxsh.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "_cgo_export.h"

static pid_t loader;

/* Each thread's last error. Not a _Thread_local: the thread-local memory of a Go library is
 * taken out of a small reserve, which the copies that forked children load would use up. */
static pthread_key_t errors;
static eryxsh_error spare; /* of threads for which there is no memory */

__attribute__((constructor)) static void loaded(void) {
  loader = getpid();
  pthread_key_create(&errors, free);
}

static eryxsh_error *last(void) {
  eryxsh_error *e = pthread_getspecific(errors);
  if (e != NULL) return e;
  e = calloc(1, sizeof *e);
  if (e != NULL && pthread_setspecific(errors, e) == 0) return e;
  free(e);
  return &spare;
}

static int fail(int code, const char *message) {
  *last() = (eryxsh_error){.code = code};
  snprintf(last()->message, sizeof spare.message, "%s", message);
  return code;
}

static int forked(void) {
  if (getpid() == loader) return 0;
  fail(ERYXSH_FORKED, "the library was loaded by the process this one was forked from: load state there, or exec");
  return 1;
}

/* Copies a struct of the caller's, or none, to one of this version. */
static int take(void *to, int64_t size, const void *from) {
  memset(to, 0, (size_t)size);
  if (from == NULL) return 0;
  int64_t given;
  memcpy(&given, from, sizeof given);
  if (given != size) { /* the first version: there is no older one */
    return fail(ERYXSH_INVALID, "struct_size is not that of a struct of this library's eryxsh.h");
  }
  memcpy(to, from, (size_t)size);
  return 0;
}

/* Every function: not in a forked child, and where the result goes is known and empty. */
#define ENTER if (forked()) return ERYXSH_FORKED
#define OUT(p)                                                              \
  do {                                                                      \
    if ((p) == NULL) return fail(ERYXSH_INVALID, "there is no place for the result: " #p " is NULL"); \
    *(p) = 0;                                                               \
  } while (0)
#define NEEDED(p) \
  if ((p) == NULL) return fail(ERYXSH_INVALID, #p " is NULL")
#define TAKE(type, to, from) \
  type to;                   \
  if (take(&to, sizeof to, from)) return ERYXSH_INVALID

int eryxsh_new(const eryxsh_options *options, eryxsh_sandbox *sandbox) {
  OUT(sandbox);
  ENTER;
  TAKE(eryxsh_options, o, options);
  return eryx_new(&o, sandbox, last());
}

int eryxsh_free(eryxsh_sandbox sandbox) {
  ENTER;
  return eryx_free(sandbox, last());
}

int eryxsh_exec(eryxsh_sandbox sandbox, const eryxsh_command *command, eryxsh_result **result) {
  OUT(result);
  NEEDED(command);
  ENTER;
  TAKE(eryxsh_command, c, command);
  return eryx_exec(sandbox, &c, result, last());
}

int eryxsh_snapshot(eryxsh_sandbox sandbox, eryxsh_text name, eryxsh_buffer **id) {
  OUT(id);
  ENTER;
  return eryx_snapshot(sandbox, name, id, last());
}

int eryxsh_restore(eryxsh_sandbox sandbox, eryxsh_text id) {
  ENTER;
  return eryx_restore(sandbox, id, last());
}

int eryxsh_fork(eryxsh_sandbox sandbox, eryxsh_sandbox *copy) {
  OUT(copy);
  ENTER;
  return eryx_fork(sandbox, copy, last());
}

int eryxsh_export(eryxsh_sandbox sandbox, eryxsh_text key, eryxsh_buffer **blob) {
  OUT(blob);
  ENTER;
  return eryx_export(sandbox, key, blob, last());
}

int eryxsh_import(eryxsh_sandbox sandbox, eryxsh_text blob, eryxsh_text key) {
  ENTER;
  return eryx_import(sandbox, blob, key, last());
}

int eryxsh_file_read(eryxsh_sandbox sandbox, eryxsh_text path, eryxsh_buffer **content) {
  OUT(content);
  ENTER;
  return eryx_file_read(sandbox, path, content, last());
}

int eryxsh_file_write(eryxsh_sandbox sandbox, eryxsh_text path, eryxsh_text content) {
  ENTER;
  return eryx_file_write(sandbox, path, content, last());
}

int eryxsh_run_start(eryxsh_sandbox sandbox, const eryxsh_command *command) {
  NEEDED(command);
  ENTER;
  TAKE(eryxsh_command, c, command);
  return eryx_run_start(sandbox, &c, last());
}

int eryxsh_run_next(eryxsh_sandbox sandbox, int wait, eryxsh_event **event) {
  OUT(event);
  ENTER;
  return eryx_run_next(sandbox, wait, event, last());
}

int eryxsh_run_resume(eryxsh_sandbox sandbox, const eryxsh_answer *answer) {
  NEEDED(answer);
  ENTER;
  TAKE(eryxsh_answer, a, answer);
  return eryx_run_resume(sandbox, &a, last());
}

int eryxsh_run_dump(eryxsh_sandbox sandbox, eryxsh_text key, eryxsh_buffer **blob) {
  OUT(blob);
  ENTER;
  return eryx_run_dump(sandbox, key, blob, last());
}

int eryxsh_run_load(eryxsh_text blob, eryxsh_text key, const eryxsh_options *options, eryxsh_sandbox *sandbox) {
  OUT(sandbox);
  ENTER;
  TAKE(eryxsh_options, o, options);
  return eryx_run_load(blob, key, &o, sandbox, last());
}

int eryxsh_run_cancel(eryxsh_sandbox sandbox) {
  ENTER;
  return eryx_run_cancel(sandbox, last());
}

const eryxsh_error *eryxsh_last_error(void) { return last(); }

void eryxsh_buffer_free(void *block) { free(block); }
