/* A tour of eryxsh.h: a command, a file, a snapshot, a fork, state as bytes, and a script
 * that waits for its caller, is saved while it waits, and goes on in another sandbox.
 *
 *   lib=$(python -c 'import eryxsh; print(eryxsh.__path__[0])')
 *   cc tour.c -I"$lib" "$lib/liberyxsh.so" -Wl,-rpath,"$lib" -o tour && ./tour
 *
 * In a checkout eryxsh.h is in capi/. Ctrl-C ends the command that runs. */
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eryxsh.h"

static volatile sig_atomic_t interrupted;

static void interrupt(int signal) {
  (void)signal;
  interrupted = 1;
}

static void need(int code, const char *what) {
  if (code == ERYXSH_OK) return;
  fprintf(stderr, "%s: error %d: %s\n", what, code, eryxsh_last_error()->message);
  exit(1);
}

static eryxsh_text text(const char *s) { return (eryxsh_text){s, (int64_t)strlen(s)}; }

static void show(const char *what, eryxsh_text t) { printf("%s: %.*s", what, (int)t.size, t.data); }

static void run(eryxsh_sandbox sandbox, const char *script) {
  eryxsh_command command = {.struct_size = sizeof command, .script = text(script)};
  eryxsh_result *result;
  need(eryxsh_exec(sandbox, &command, &result), script);
  show(script, result->out);
  if (result->exit_code != 0) printf("%s: exit code %d\n", script, (int)result->exit_code);
  eryxsh_buffer_free(result);
}

/* The script asks for each file; the answer to the first is known, to the second only on another day. */
static eryxsh_buffer *ask(eryxsh_options *options) {
  eryxsh_sandbox sandbox;
  need(eryxsh_new(options, &sandbox), "new");
  eryxsh_command command = {
      .struct_size = sizeof command,
      .script = ERYXSH_TEXT("for f in a b; do v=$(echo please | approve --file $f) || v=refused; echo \"$f: $v\"; done"),
  };
  need(eryxsh_run_start(sandbox, &command), "run_start");
  eryxsh_event *event;
  eryxsh_answer yes = {.struct_size = sizeof yes, .kind = ERYXSH_TOOL_CALL, .out = ERYXSH_TEXT("yes\n")};
  need(eryxsh_run_next(sandbox, 1, &event), "run_next");
  yes.call_id = event->call_id;
  show("asked", event->name);
  for (int64_t i = 0; i < event->arg_count; i++) show(" ", event->args[i]);
  show(", which says", event->input);
  need(eryxsh_run_resume(sandbox, &yes), "run_resume");
  eryxsh_buffer_free(event);

  need(eryxsh_run_next(sandbox, 1, &event), "run_next");
  show("so far", event->out);
  eryxsh_buffer_free(event);
  eryxsh_buffer *blob;
  need(eryxsh_run_dump(sandbox, text("secret"), &blob), "run_dump");
  need(eryxsh_free(sandbox), "free");
  return blob;
}

static void answer(eryxsh_options *options, eryxsh_buffer *blob) {
  eryxsh_sandbox sandbox;
  eryxsh_event *event;
  need(eryxsh_run_load((eryxsh_text){blob->data, blob->size}, text("secret"), options, &sandbox), "run_load");
  eryxsh_buffer_free(blob);
  need(eryxsh_run_next(sandbox, 1, &event), "run_next");
  eryxsh_answer no = {.struct_size = sizeof no, .kind = ERYXSH_TOOL_CALL, .exit_code = 1, .call_id = event->call_id, .error = ERYXSH_TEXT("nobody is here")};
  need(eryxsh_run_resume(sandbox, &no), "run_resume");
  eryxsh_buffer_free(event);
  need(eryxsh_run_next(sandbox, 1, &event), "run_next");
  if (event->kind != ERYXSH_DONE) exit(2);
  show("another day", event->out);
  show("what failed", event->result->tool_errors[0]);
  printf(", exit code %d\n", (int)event->result->exit_code);
  eryxsh_buffer_free(event);
  need(eryxsh_free(sandbox), "free");
}

int main(void) {
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_ONSTACK};
  sigaction(SIGINT, &action, NULL);
  eryxsh_variable env[] = {{ERYXSH_TEXT("WHO"), ERYXSH_TEXT("world")}};
  eryxsh_amount limits[] = {{ERYXSH_TEXT("steps"), 1000000}};
  eryxsh_text tools[] = {ERYXSH_TEXT("approve")};
  eryxsh_options options = {
      .struct_size = sizeof options,
      .env = env, .env_count = 1,
      .limits = limits, .limit_count = 1,
      .tools = tools, .tool_count = 1,
      .interrupt = &interrupted,
  };
  eryxsh_sandbox sandbox, copy;
  need(eryxsh_new(&options, &sandbox), "new");
  run(sandbox, "echo \"hello, $WHO\"; n=1");
  need(eryxsh_file_write(sandbox, text("/data/log.csv"), text("alice,95\nbob,71\n")), "file_write");
  run(sandbox, "sort -t, -k2 -n /data/log.csv | head -1");

  eryxsh_buffer *id, *content, *blob;
  need(eryxsh_snapshot(sandbox, text("before"), &id), "snapshot");
  need(eryxsh_fork(sandbox, &copy), "fork");
  run(copy, "n=2; echo \"the copy has n=$n\"");
  run(sandbox, "rm -r /data; echo \"and I have n=$n, but no data\"");
  need(eryxsh_restore(sandbox, (eryxsh_text){id->data, id->size}), "restore");
  eryxsh_buffer_free(id);
  need(eryxsh_file_read(sandbox, text("/data/log.csv"), &content), "file_read");
  printf("restored: %s", content->data);
  eryxsh_buffer_free(content);

  need(eryxsh_export(copy, text(""), &blob), "export");
  need(eryxsh_free(copy), "free");
  need(eryxsh_import(sandbox, (eryxsh_text){blob->data, blob->size}, text("")), "import");
  eryxsh_buffer_free(blob);
  run(sandbox, "echo \"imported: n=$n\"");
  run(sandbox, "while :; do :; done"); /* a limit ends it */
  if (eryxsh_file_read(sandbox, text("/none"), &content) == ERYXSH_FILE) {
    printf("no such file: error number %d, %s\n", (int)eryxsh_last_error()->error_number, eryxsh_last_error()->message);
  }
  need(eryxsh_free(sandbox), "free");
  answer(&options, ask(&options));
  return 0;
}
