/* What the C API does with what it should not be given. Every line is an error that is
 * named, none ends the process; then many threads at once, each with its own errors. */
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "eryxsh.h"

static void want(int line, int code, int expected, const char *part) {
  const char *said = eryxsh_last_error()->message;
  if (code != expected || (code != 0 && (eryxsh_last_error()->code != code || strstr(said, part) == NULL))) {
    fprintf(stderr, "line %d: %d (%s), not %d (%s)\n", line, code, said, expected, part);
    exit(1);
  }
}
#define WANT(expected, part, call) want(__LINE__, call, expected, part)
#define OK(call) want(__LINE__, call, 0, "")
#define NOTHING(p)                                             \
  do {                                                         \
    if ((p) != 0) {                                            \
      fprintf(stderr, "line %d: " #p " is left\n", __LINE__); \
      exit(1);                                                 \
    }                                                          \
  } while (0)

static eryxsh_text text(const char *s) { return (eryxsh_text){s, (int64_t)strlen(s)}; }
static const eryxsh_text none = {NULL, 0};

/* Every function, of a handle that has none. */
static void on_no_sandbox(eryxsh_sandbox s, int expected, const char *part) {
  eryxsh_command command = {.struct_size = sizeof command, .script = text("echo")};
  eryxsh_answer answer = {.struct_size = sizeof answer, .kind = ERYXSH_TOOL_CALL};
  eryxsh_result *result = (void *)1;
  eryxsh_event *event = (void *)1;
  eryxsh_buffer *buffer = (void *)1;
  eryxsh_sandbox other = 1;
  WANT(expected, part, eryxsh_exec(s, &command, &result));
  NOTHING(result);
  WANT(expected, part, eryxsh_snapshot(s, none, &buffer));
  NOTHING(buffer);
  WANT(expected, part, eryxsh_restore(s, text("1")));
  WANT(expected, part, eryxsh_fork(s, &other));
  NOTHING(other);
  WANT(expected, part, eryxsh_export(s, none, &buffer));
  WANT(expected, part, eryxsh_import(s, text("x"), none));
  WANT(expected, part, eryxsh_file_read(s, text("/etc/passwd"), &buffer));
  NOTHING(buffer);
  WANT(expected, part, eryxsh_file_write(s, text("f"), text("x")));
  WANT(expected, part, eryxsh_run_start(s, &command));
  WANT(expected, part, eryxsh_run_next(s, 1, &event));
  NOTHING(event);
  WANT(expected, part, eryxsh_run_resume(s, &answer));
  WANT(expected, part, eryxsh_run_dump(s, none, &buffer));
  WANT(expected, part, eryxsh_run_cancel(s));
}

static void with_null(eryxsh_sandbox s) {
  eryxsh_sandbox other = 7;
  eryxsh_result *result;
  eryxsh_buffer *buffer;
  WANT(ERYXSH_INVALID, "sandbox is NULL", eryxsh_new(NULL, NULL));
  WANT(ERYXSH_INVALID, "command is NULL", eryxsh_exec(s, NULL, &result));
  WANT(ERYXSH_INVALID, "result is NULL", eryxsh_exec(s, &(eryxsh_command){.struct_size = sizeof(eryxsh_command)}, NULL));
  WANT(ERYXSH_INVALID, "id is NULL", eryxsh_snapshot(s, none, NULL));
  WANT(ERYXSH_INVALID, "copy is NULL", eryxsh_fork(s, NULL));
  WANT(ERYXSH_INVALID, "blob is NULL", eryxsh_export(s, none, NULL));
  WANT(ERYXSH_INVALID, "content is NULL", eryxsh_file_read(s, text("f"), NULL));
  WANT(ERYXSH_INVALID, "command is NULL", eryxsh_run_start(s, NULL));
  WANT(ERYXSH_INVALID, "event is NULL", eryxsh_run_next(s, 1, NULL));
  WANT(ERYXSH_INVALID, "answer is NULL", eryxsh_run_resume(s, NULL));
  WANT(ERYXSH_INVALID, "blob is NULL", eryxsh_run_dump(s, none, NULL));
  WANT(ERYXSH_INVALID, "sandbox is NULL", eryxsh_run_load(text("x"), none, NULL, NULL));
  WANT(ERYXSH_STATE, "", eryxsh_run_load(none, none, NULL, &other));
  NOTHING(other);
  WANT(ERYXSH_FILE, "", eryxsh_file_read(s, none, &buffer));
  eryxsh_buffer_free(NULL);
  OK(eryxsh_free(0));
}

static void with_wrong_lengths(eryxsh_sandbox s) {
  eryxsh_sandbox other;
  eryxsh_result *result;
  eryxsh_buffer *buffer;
  WANT(ERYXSH_INVALID, "-1 bytes", eryxsh_file_write(s, text("f"), (eryxsh_text){"x", -1}));
  WANT(ERYXSH_INVALID, "5 bytes at NULL", eryxsh_file_write(s, text("f"), (eryxsh_text){NULL, 5}));
  WANT(ERYXSH_INVALID, "9223372036854775807 bytes", eryxsh_import(s, (eryxsh_text){"x", INT64_MAX}, none));
  WANT(ERYXSH_INVALID, "bytes at NULL", eryxsh_export(s, (eryxsh_text){NULL, 1}, &buffer));
  WANT(ERYXSH_INVALID, "bytes at NULL", eryxsh_restore(s, (eryxsh_text){NULL, 1}));
  eryxsh_command c = {.struct_size = sizeof c, .script = text("echo")};
  for (int64_t size = -1; size < 2 * (int64_t)sizeof c; size++) {
    c.struct_size = size;
    if (size != sizeof c) WANT(ERYXSH_INVALID, "struct_size", eryxsh_exec(s, &c, &result));
  }
  c.struct_size = sizeof c;
  c.argv_count = 3;
  WANT(ERYXSH_INVALID, "3 elements at NULL", eryxsh_exec(s, &c, &result));
  c.argv_count = INT64_MAX;
  WANT(ERYXSH_INVALID, "elements", eryxsh_exec(s, &c, &result));
  c.argv_count = 0;
  c.env_count = -2;
  WANT(ERYXSH_INVALID, "-2 elements", eryxsh_exec(s, &c, &result));
  c.env_count = 0;
  c.timeout_ns = -2;
  WANT(ERYXSH_INVALID, "-2 ns", eryxsh_exec(s, &c, &result));
  c.timeout_ns = 0;
  eryxsh_text words[] = {ERYXSH_TEXT("echo")};
  c.argv = words;
  c.argv_count = 1;
  WANT(ERYXSH_INVALID, "not both", eryxsh_exec(s, &c, &result));
  c = (eryxsh_command){.struct_size = sizeof c, .script = text("cat"), .input_open = 1};
  WANT(ERYXSH_INVALID, "run_start", eryxsh_exec(s, &c, &result));
  eryxsh_amount limits[] = {{ERYXSH_TEXT("no such limit"), 1}};
  eryxsh_options o = {.struct_size = sizeof o, .limits = limits, .limit_count = 1};
  WANT(ERYXSH_INVALID, "no such limit", eryxsh_new(&o, &other));
  eryxsh_text tools[] = {ERYXSH_TEXT("while")};
  o = (eryxsh_options){.struct_size = sizeof o, .tools = tools, .tool_count = 1};
  WANT(ERYXSH_INVALID, "while", eryxsh_new(&o, &other));
  eryxsh_answer a = {.struct_size = sizeof a, .kind = 99};
  WANT(ERYXSH_INVALID, "kind 99", eryxsh_run_resume(s, &a));
  a = (eryxsh_answer){.struct_size = sizeof a, .kind = ERYXSH_TOOL_CALL, .exit_code = 256};
  WANT(ERYXSH_INVALID, "256", eryxsh_run_resume(s, &a));
  char longest[5000];
  memset(longest, 'n', sizeof longest);
  WANT(ERYXSH_FILE, "...", eryxsh_file_read(s, (eryxsh_text){longest, sizeof longest}, &buffer));
}

/* NUL bytes and invalid UTF-8 are data. */
static void with_odd_bytes(eryxsh_sandbox s) {
  static const char odd[] = "a\0b\xff\n";
  eryxsh_buffer *buffer;
  OK(eryxsh_file_write(s, text("odd"), (eryxsh_text){odd, 5}));
  OK(eryxsh_file_read(s, text("odd"), &buffer));
  if (buffer->size != 5 || memcmp(buffer->data, odd, 6) != 0) want(__LINE__, 1, 0, "");
  eryxsh_buffer_free(buffer);
  eryxsh_result *result;
  eryxsh_command c = {.struct_size = sizeof c, .script = text("cat; printf %s \"$1\""), .input = {odd, 5}};
  OK(eryxsh_exec(s, &c, &result));
  if (result->out.size != 5 || memcmp(result->out.data, odd, 6) != 0) want(__LINE__, 1, 0, "");
  eryxsh_buffer_free(result);
}

static void in_a_child(eryxsh_sandbox s) {
  pid_t child = fork();
  if (child == 0) {
    eryxsh_sandbox other;
    on_no_sandbox(s, ERYXSH_FORKED, "forked");
    WANT(ERYXSH_FORKED, "forked", eryxsh_new(NULL, &other));
    WANT(ERYXSH_FORKED, "forked", eryxsh_free(s));
    _exit(0);
  }
  int status = 1;
  if (waitpid(child, &status, 0) != child || status != 0) want(__LINE__, status, 0, "");
}

static eryxsh_sandbox shared;

/* A thread's last error is its own; sandboxes come and go while others use them. */
static void *thread(void *number) {
  char name[32], message[64];
  snprintf(name, sizeof name, "/none%d", *(int *)number);
  snprintf(message, sizeof message, "%s: No such file", name);
  eryxsh_buffer *buffer;
  eryxsh_result *result;
  eryxsh_sandbox own;
  eryxsh_command add = {.struct_size = sizeof add, .script = text("x=$n; n=$((x + 1))")};
  for (int i = 0; i < 50; i++) {
    WANT(ERYXSH_FILE, message, eryxsh_file_read(shared, text(name), &buffer));
    OK(eryxsh_exec(shared, &add, &result));
    if (strstr(eryxsh_last_error()->message, message) == NULL) want(__LINE__, 1, 0, "");
    eryxsh_buffer_free(result);
    OK(eryxsh_fork(shared, &own));
    int code = eryxsh_exec(own, &add, &result);
    if (code != 0) WANT(ERYXSH_BUSY, "run", code); /* another thread's command was in the middle, and is in the copy too */
    eryxsh_buffer_free(result);
    OK(eryxsh_free(own));
    WANT(ERYXSH_CLOSED, "closed", eryxsh_file_read(own, text(name), &buffer));
  }
  return NULL;
}

/* One thread frees what another uses. */
static void *user(void *unused) {
  eryxsh_command loop = {.struct_size = sizeof loop, .script = text("while :; do :; done")};
  eryxsh_result *result;
  WANT(ERYXSH_CLOSED, "", eryxsh_exec(shared, &loop, &result));
  return unused;
}

int main(void) {
  eryxsh_sandbox s, freed;
  OK(eryxsh_new(NULL, &s));
  OK(eryxsh_new(NULL, &freed));
  OK(eryxsh_free(freed));
  OK(eryxsh_free(freed));
  eryxsh_sandbox no[] = {0, -1, freed, s + 1000, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) on_no_sandbox(no[i], ERYXSH_CLOSED, "closed");
  with_null(s);
  with_wrong_lengths(s);
  with_odd_bytes(s);
  in_a_child(s);
  OK(eryxsh_free(s));

  OK(eryxsh_new(NULL, &shared));
  pthread_t threads[8];
  int numbers[8];
  for (int i = 0; i < 8; i++) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, thread, &numbers[i]);
  }
  for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
  eryxsh_result *result;
  eryxsh_command show = {.struct_size = sizeof show, .script = text("echo $n")};
  OK(eryxsh_exec(shared, &show, &result));
  if (strcmp(result->out.data, "400\n") != 0) want(__LINE__, 1, 0, "");
  eryxsh_buffer_free(result);
  pthread_create(&threads[0], NULL, user, NULL);
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  OK(eryxsh_free(shared));
  pthread_join(threads[0], NULL);
  puts("as it should be");
  return 0;
}
