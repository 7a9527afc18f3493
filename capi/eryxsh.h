/* eryxsh for C and for whatever can call C: bash in this process, over a file
 * system in memory.
 *
 *   eryxsh_sandbox sandbox;
 *   eryxsh_command command = {.struct_size = sizeof command, .script = ERYXSH_TEXT("echo $((6 * 7))")};
 *   eryxsh_result *result;
 *   if (eryxsh_new(NULL, &sandbox) || eryxsh_exec(sandbox, &command, &result)) die(eryxsh_last_error()->message);
 *   fwrite(result->out.data, 1, result->out.size, stdout);
 *   eryxsh_buffer_free(result);
 *   eryxsh_free(sandbox);
 *
 * Handles. A sandbox is a number that is never used twice. 0 is none. What is done to
 * one that is freed, or never was, fails with ERYXSH_CLOSED.
 *
 * Errors. Every function gives ERYXSH_OK or why it failed; then nothing was done, and
 * pointers to results are NULL (handles 0). eryxsh_last_error says more: it
 * belongs to the calling thread and speaks of that thread's last call that failed.
 *
 * Memory. What goes in is the caller's, is only read, and only until the function
 * returns; its length is always given, NUL bytes are allowed in data. What comes out is
 * one block, the caller's from then on, whatever it points to included: it ends
 * with one eryxsh_buffer_free. Every text in it has a NUL behind its last byte.
 * A struct that goes in begins with its size, so that a program that was built with an
 * older header goes on working; fields that are zero have their defaults.
 *
 * Threads. Every function may be called from any thread. Calls on different sandboxes run
 * side by side. Of those that drive one sandbox (exec, run_next) one runs at a time, the
 * others wait for it; files, snapshots, forks and exports go in between its slices, which
 * are 20 ms at most.
 *
 * Stopping. A command ends by itself when its time is up (exit code 124). eryxsh_run_cancel
 * ends it from any thread (130). A signal handler may not call it: it sets the variable that
 * eryxsh_options.interrupt points to, and what runs ends within 20 ms (130). The
 * library leaves SIGINT, SIGTERM and their like to the program. Handlers must be installed
 * by sigaction with SA_ONSTACK: they may come while the thread is on a stack of Go's.
 *
 * fork(2). A child process cannot use the library that its parent loaded: each function
 * gives ERYXSH_FORKED. What has to move, moves as bytes (eryxsh_export). exec after
 * fork is fine.
 *
 * The library is liberyxsh.so; README.md says where it is and how to link it. Names, numbers
 * and fields of this header stay; new fields come at the end of structs. */
#ifndef ERYXSH_H
#define ERYXSH_H

#include <signal.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0, or why a function failed. */
enum {
  ERYXSH_OK = 0,
  ERYXSH_INTERNAL = 1,         /* something that should not happen */
  ERYXSH_INVALID = 2,          /* an argument that cannot be used */
  ERYXSH_CLOSED = 3,           /* the sandbox is freed */
  ERYXSH_BUSY = 4,             /* another run waits in the sandbox */
  ERYXSH_RUN_GONE = 5,         /* no run is active, or it is another one */
  ERYXSH_NOT_FOUND = 6,        /* no snapshot of that id */
  ERYXSH_FILE = 7,             /* a file error: error_number says which */
  ERYXSH_PARSE = 8,            /* a script that is not one: line and column say where */
  ERYXSH_STATE = 9,            /* a blob that cannot be read; the sandbox is unchanged */
  ERYXSH_STATE_TOO_NEW = 10,   /* a blob of a newer version */
  ERYXSH_SIGNATURE = 11,       /* a blob whose signature is missing or wrong */
  ERYXSH_DRIFT = 12,           /* a blob whose script no longer parses to what was saved */
  ERYXSH_CAPABILITY = 13,      /* a tool that the blob needs is not in eryxsh_options.tools */
  ERYXSH_NOT_SUSPENDABLE = 14, /* a command that cannot be saved where it is */
  ERYXSH_ALREADY_RESUMED = 15, /* a call that was answered before */
  ERYXSH_QUOTA = 16,           /* no room: files, bytes or snapshots */
  ERYXSH_LIMIT = 17,           /* a named limit was met outside a run */
  ERYXSH_UNSUPPORTED = 18,     /* a feature that does not exist */
  ERYXSH_PANIC = 19,           /* a bug: the message names the place */
  ERYXSH_NO_ANCESTOR = 20,     /* a merge of sandboxes that come from no common state */
  ERYXSH_TYPE = 252,
  ERYXSH_REQUEST = 253,
  ERYXSH_CLOSING = 254,
  ERYXSH_FORKED = 255,    /* the library was loaded by the process this one was forked from */
  ERYXSH_SUSPENDED = 256, /* eryxsh_exec: the script waits for what only the caller can do; eryxsh_run_next goes on */
  ERYXSH_NO_MEMORY = 257
};

typedef int64_t eryxsh_sandbox;

/* Bytes and how many they are. NULL and 0 is nothing. */
typedef struct {
  const char *data;
  int64_t size;
} eryxsh_text;

/* The text of a string literal. */
#define ERYXSH_TEXT(literal) {literal, (int64_t)sizeof(literal) - 1}

typedef struct {
  eryxsh_text name, value;
} eryxsh_variable;

/* A limit by its name ("steps", "memory", "output", ...) and its value; 0 is no limit. */
typedef struct {
  eryxsh_text name;
  int64_t value;
} eryxsh_amount;

/* What eryxsh_last_error gives. */
typedef struct {
  int32_t code;         /* as the function gave it */
  int32_t error_number; /* errno of a file error, as Linux numbers them, or 0 */
  int64_t line, column; /* of ERYXSH_PARSE, from 1 */
  char message[1024];   /* for a person; a longer one ends in "..." */
} eryxsh_error;

/* How a sandbox begins. */
typedef struct {
  int64_t struct_size; /* sizeof(eryxsh_options) */
  eryxsh_text cwd, user, hostname;
  const eryxsh_variable *env; /* exported, besides the usual ones */
  int64_t env_count;
  const eryxsh_amount *limits; /* what is absent has its default */
  int64_t limit_count;
  const eryxsh_text *tools; /* names of commands that the caller answers: see eryxsh_run_next */
  int64_t tool_count;
  int32_t virtual_clock; /* a clock that counts steps, from 2000-01-01: nothing waits */
  int32_t has_seed;      /* RANDOM begins with seed; otherwise it is drawn */
  int64_t seed;
  /* While this variable is not 0, whatever runs in the sandbox or in a fork of it ends
   * (130). It must live as long as they do. NULL: nothing is looked at. */
  const volatile sig_atomic_t *interrupt;
} eryxsh_options;

/* What is run. Give a script or an argv. */
typedef struct {
  int64_t struct_size; /* sizeof(eryxsh_command) */
  eryxsh_text script;
  const eryxsh_text *argv; /* one command: no parsing, no expansion */
  int64_t argv_count;
  eryxsh_text input;          /* its standard input */
  int32_t input_open;         /* run_start: more input comes by run_resume; the script waits for it */
  int32_t suspend_on_limit;   /* run_start: a timeout or a limit is an event instead of the end */
  const eryxsh_variable *env; /* exported for this command alone */
  int64_t env_count;
  eryxsh_text cwd;             /* for this command alone */
  int64_t timeout_ns;          /* 0: 30 s; -1: none */
  const eryxsh_amount *limits; /* for this command alone */
  int64_t limit_count;
} eryxsh_command;

/* How a command ended. */
typedef struct {
  int32_t exit_code; /* 124: timeout, 130: cancelled, 137: a limit */
  int32_t out_cut;   /* 1: stdout went on behind the output limit */
  int32_t err_cut;
  int32_t reserved;
  int64_t steps;
  int64_t time_ns;
  eryxsh_text out, err;           /* stdout and stderr; of a run: since the event before */
  eryxsh_text error_class;        /* TIMEOUT, CANCELLED, LIMIT_EXCEEDED, CAPABILITY_DENIED or nothing */
  eryxsh_text limit;              /* name of the limit that ended it */
  const eryxsh_text *unsupported; /* options and features it used that do not exist here */
  int64_t unsupported_count;
  const eryxsh_text *tool_errors; /* what tools that failed said */
  int64_t tool_error_count;
} eryxsh_result;

/* What a run came to, and what it wants. */
enum {
  ERYXSH_DONE = 4,       /* it has ended: result */
  ERYXSH_TOOL_CALL = 6,  /* answer it, now or another day: call_id, name, args, input, env, cwd */
  ERYXSH_SLEEPING = 7,   /* only without waiting: wait_ns */
  ERYXSH_INPUT = 8,      /* give it input */
  ERYXSH_LIMITED = 9,    /* name is used up: add to it, or cancel */
  ERYXSH_CHECKPOINT = 10 /* the checkpoint builtin ran; name is what it was given */
};

typedef struct {
  int32_t kind;
  int32_t fd;                  /* of ERYXSH_INPUT: the descriptor that is read */
  const eryxsh_result *result; /* of ERYXSH_DONE; in the same block */
  eryxsh_text out, err;        /* stdout and stderr since the event before */
  eryxsh_text name;            /* of the tool, the limit or the checkpoint */
  eryxsh_text call_id;         /* the same after a dump and a load: the idempotency key */
  const eryxsh_text *args;     /* without the name */
  int64_t arg_count;
  eryxsh_text input; /* what a pipe or a redirection of its own fed it */
  const eryxsh_text *env; /* NAME=value */
  int64_t env_count;
  eryxsh_text cwd;
  eryxsh_text forked_from; /* the call_id this call was forked from */
  int64_t wait_ns;
} eryxsh_event;

/* An answer to an event. */
typedef struct {
  int64_t struct_size;     /* sizeof(eryxsh_answer) */
  int32_t kind;            /* ERYXSH_TOOL_CALL, ERYXSH_INPUT or ERYXSH_LIMITED */
  int32_t exit_code;       /* of a tool, 0 to 255 */
  eryxsh_text call_id;     /* of a tool: each call is answered once */
  eryxsh_text out, err;    /* what the tool printed; out is the input of ERYXSH_INPUT, none is end of file */
  eryxsh_text error;       /* what the tool failed with, for eryxsh_result.tool_errors */
  const eryxsh_amount *add; /* of ERYXSH_LIMITED: a limit's name, or timeout (ns), and what is added */
  int64_t add_count;
} eryxsh_answer;

/* Bytes that the library gives. */
typedef struct {
  const char *data;
  int64_t size;
} eryxsh_buffer;

/* Make a sandbox. options may be NULL. */
int eryxsh_new(const eryxsh_options *options, eryxsh_sandbox *sandbox);

/* End a sandbox, from any thread; what runs in it ends. 0, and freed ones, are fine. */
int eryxsh_free(eryxsh_sandbox sandbox);

/* Run a command to its end. A failing script is a result, not an error. */
int eryxsh_exec(eryxsh_sandbox sandbox, const eryxsh_command *command, eryxsh_result **result);

/* Keep files and shell state as they are, in microseconds; id is what eryxsh_restore takes. */
int eryxsh_snapshot(eryxsh_sandbox sandbox, eryxsh_text name, eryxsh_buffer **id);

/* Go back to a snapshot. An active run is gone. */
int eryxsh_restore(eryxsh_sandbox sandbox, eryxsh_text id);

/* Make an independent copy in microseconds. A run that is active is active in the copy too:
 * eryxsh_run_next goes on with it, eryxsh_run_cancel ends it. */
int eryxsh_fork(eryxsh_sandbox sandbox, eryxsh_sandbox *copy);

/* Everything as one blob: the bytes that export_state of the Python package gives and takes.
 * With a key it is signed by HMAC-SHA256, and eryxsh_import refuses it without. */
int eryxsh_export(eryxsh_sandbox sandbox, eryxsh_text key, eryxsh_buffer **blob);

/* Replace everything by a blob, or fail and change nothing. */
int eryxsh_import(eryxsh_sandbox sandbox, eryxsh_text blob, eryxsh_text key);

/* A file's content. Paths are absolute, or relative to the sandbox's working directory. */
int eryxsh_file_read(eryxsh_sandbox sandbox, eryxsh_text path, eryxsh_buffer **content);

/* Make or replace a file, and make the directories above it. */
int eryxsh_file_write(eryxsh_sandbox sandbox, eryxsh_text path, eryxsh_text content);

/* Begin a command as a run, which stops where it needs its caller. */
int eryxsh_run_start(eryxsh_sandbox sandbox, const eryxsh_command *command);

/* Go on to the next event. With wait 0, a sleeping script is an event too. The oldest tool
 * call that was not given out yet comes first; when all were and nothing else can go
 * on, the oldest again. */
int eryxsh_run_next(eryxsh_sandbox sandbox, int wait, eryxsh_event **event);

/* Answer an event; eryxsh_run_next goes on. */
int eryxsh_run_resume(eryxsh_sandbox sandbox, const eryxsh_answer *answer);

/* The run and its sandbox as one blob. Output that events gave is not in it. */
int eryxsh_run_dump(eryxsh_sandbox sandbox, eryxsh_text key, eryxsh_buffer **blob);

/* Make a sandbox out of what eryxsh_run_dump gave: its run goes on. Of the options, which may be
 * NULL, limits, tools and interrupt are taken. */
int eryxsh_run_load(eryxsh_text blob, eryxsh_text key, const eryxsh_options *options, eryxsh_sandbox *sandbox);

/* Make whatever runs in the sandbox end with 130, a run that waits included. Nothing runs: nothing
 * happens. */
int eryxsh_run_cancel(eryxsh_sandbox sandbox);

/* Of this thread's last call that failed; valid until the next that does. Never NULL. */
const eryxsh_error *eryxsh_last_error(void);

/* Free what a function gave. NULL is fine. */
void eryxsh_buffer_free(void *block);

#ifdef __cplusplus
}
#endif

#endif
