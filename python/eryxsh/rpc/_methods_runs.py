"""The methods ``run`` and ``runs.*``: scripts, to their end or step by step."""

from __future__ import annotations

from typing import Any, Dict, Optional

from .. import (
    DEFAULT,
    PIPE,
    AlreadyResumedError,
    CapabilityError,
    Checkpoint,
    CommandResult,
    EryxshError,
    Event,
    Finished,
    InputNeeded,
    LimitReached,
    Output,
    Run,
    RunGoneError,
    RunSuspended,
    Sleeping,
    Suspend,
    ToolCall,
)
from ._client import Call
from ._errors import INVALID_PARAMS, RpcError
from ._options import EXTENSIONS, LABEL, LIMITS_PARAM, TIMEOUT, content, limits, seconds, tools
from ._schema import BASE64, BOOLEAN, ENCODING, INTEGER, NUMBER, STRING, STRING_MAP, STRINGS, Schema, listed, nullable, record
from ._table import SANDBOX_ID, Param, method
from ._values import DONE, OK, RESULT, from_base64, milliseconds, result_of, shown, to_base64

COMMAND = Param(
    "command",
    {"anyOf": [STRING, {"type": "array", "items": STRING, "minItems": 1}]},
    "Shell text, or the words of one command: no parsing, no expansion.",
)
STDIN = Param("stdin", nullable(STRING), "Its input; null is end of file.", None)
ENV = Param("env", STRING_MAP, "Exported variables for this call.", {})
CWD = Param("cwd", nullable(STRING), "The directory for this call.", None)
ENCODED = Param(
    "encoding",
    ENCODING,
    "`utf-8`: `stdin` is text, and output comes as text where it is UTF-8, else as base64. `base64`: both are base64.",
    "utf-8",
)
STREAM = Param("stream", BOOLEAN, "Output comes as `output` notifications, and is not in the answer then.", False)
RUN_ID = Param("runId", nullable(STRING), "Which run; without it the active one.", None)

TOOL_CALL: Schema = record(
    {
        "callId": STRING,
        "name": STRING,
        "args": STRINGS,
        "stdin": STRING,
        "stdinEncoding": ENCODING,
        "cwd": STRING,
        "env": STRING_MAP,
        "forkedFrom": nullable(STRING),
    }
)
EVENT: Schema = {
    "anyOf": [
        record({"event": {"type": "string", "enum": ["toolCall"]}, "call": TOOL_CALL}),
        record({"event": {"type": "string", "enum": ["checkpoint"]}, "name": nullable(STRING), "snapshot": nullable(STRING)}),
        record({"event": {"type": "string", "enum": ["inputNeeded"]}, "fd": INTEGER}),
        record({"event": {"type": "string", "enum": ["limitReached"]}, "limit": STRING}),
        record({"event": {"type": "string", "enum": ["suspended"]}}),
        record({"event": {"type": "string", "enum": ["sleeping"]}, "until": INTEGER, "seconds": NUMBER}),
        record({"event": {"type": "string", "enum": ["finished"]}, "result": RESULT}),
    ]
}


@method(
    "run",
    "Run a script to its end. A command that fails is no error: `exitCode` says it. At a tool call that nobody answers the "
    "error is `RunSuspended` with `data.runId`, and `runs.next` goes on.",
    (COMMAND, STREAM, STDIN, ENV, CWD, TIMEOUT, LIMITS_PARAM, ENCODED),
    RESULT,
)
def _run(call: Call, p: Dict[str, Any]) -> Any:
    stream = p["stream"] and call.answered
    if stream:
        call.client.require_a_listener("stream")
    run = _started(call, p)
    call.drives(run)
    result = _streamed(call, run) if stream else run.drive()
    return result_of(result, p["encoding"])


def _started(call: Call, p: Dict[str, Any], **more: Any) -> Run:
    command = p["command"]
    most = call.hosted.command_limit
    if most is not None and len(command if isinstance(command, str) else " ".join(command)) > most:
        raise RpcError(INVALID_PARAMS, f"{call.method.name}: the command is longer than {most}", limit="commandBytes")
    stdin = None if p["stdin"] is None else content(p["stdin"], p["encoding"], "stdin")
    given = {"timeout": DEFAULT, **seconds(p), "stdin": stdin, **more}
    return call.sandbox.commands.start(command, env=p["env"] or None, cwd=p["cwd"], limits=limits(p["limits"]), **given)


def _streamed(call: Call, run: Run) -> CommandResult:
    """Drive a run, its output told as it comes."""
    waits: Optional[str] = None
    for event in run.events():
        if isinstance(event, Output):
            call.output(event.stream, event.data)
        elif isinstance(event, ToolCall):
            try:
                event.call()
            except (CapabilityError, Suspend):
                waits = event.name
            except (AlreadyResumedError, RunGoneError):
                continue  # the run was cancelled meanwhile, or somebody else has answered: what it does now comes next
        elif isinstance(event, Finished):
            return event.result
        elif not isinstance(event, Checkpoint):
            raise RunSuspended(f"the run {run.id} is suspended: it waits: {event}", run=run, path=run.id)
    raise RunSuspended(f"the run {run.id} is suspended: {waits} waits for an answer", run=run, path=waits)


@method(
    "runs.start",
    "A run that has not begun; `runs.next` makes it go on. A sandbox has one active run at most.",
    (
        COMMAND,
        STDIN,
        Param("pipe", BOOLEAN, "Reads of an empty input come as `inputNeeded` events.", False),
        ENV,
        CWD,
        TIMEOUT,
        LIMITS_PARAM,
        Param("onLimit", {"type": "string", "enum": ["stop", "suspend"]}, "`suspend`: a used up limit is a `limitReached` event.", "stop"),
        ENCODED,
    ),
    record({"runId": STRING}),
)
def _start(call: Call, p: Dict[str, Any]) -> Any:
    if p["pipe"] and p["stdin"] is not None:
        raise RpcError(INVALID_PARAMS, "runs.start: pipe goes without stdin: runs.resume gives the input")
    run = _started(call, p, on_limit=p["onLimit"], **({"stdin": PIPE} if p["pipe"] else {}))
    call.hosted.run = run
    return {"runId": run.id}


def _found(call: Call, p: Dict[str, Any]) -> Run:
    """The run a request is about."""
    known, wanted = call.hosted.run, p["runId"]
    if known is not None and known.id == wanted:
        return known
    active = call.sandbox.runs.active()
    if known is not None and wanted is None and (active is None or active.id == known.id):
        return known
    if active is None or wanted not in (None, active.id):
        raise RunGoneError(f"there is no run {wanted}" if wanted else "no run is active", path=wanted)
    call.hosted.run = active
    return active


@method(
    "runs.next",
    "Go on until something happens: the oldest unanswered tool call that has not been given out, and when all have been, the oldest "
    "again; or one of the other events. `until` is in milliseconds since 1970. A run that has ended gives `finished` again.",
    (
        RUN_ID,
        Param("wait", BOOLEAN, "False: a sleep is not waited out but comes as `sleeping`.", True),
        STREAM,
        Param("encoding", ENCODING, "Of output in `finished`, as in `run`.", "utf-8"),
    ),
    EVENT,
)
def _next(call: Call, p: Dict[str, Any]) -> Any:
    run = _found(call, p)
    call.drives(run)
    if not (p["stream"] and call.answered):
        return _event(run.next(wait=p["wait"]), p["encoding"])
    call.client.require_a_listener("stream")
    if not p["wait"]:
        raise RpcError(INVALID_PARAMS, "runs.next: stream goes with wait alone")
    for event in run.events():
        if not isinstance(event, Output):
            return _event(event, p["encoding"])
        call.output(event.stream, event.data)
    raise AssertionError("events ends with one that is no output")


def _event(event: Event, encoding: str) -> Dict[str, Any]:
    if isinstance(event, ToolCall):
        return {"event": "toolCall", "call": _call_of(event)}
    if isinstance(event, Finished):
        return {"event": "finished", "result": result_of(event.result, encoding)}
    if isinstance(event, Checkpoint):
        return {"event": "checkpoint", "name": event.name, "snapshot": event.snapshot}
    if isinstance(event, InputNeeded):
        return {"event": "inputNeeded", "fd": event.fd}
    if isinstance(event, LimitReached):
        return {"event": "limitReached", "limit": event.limit}
    if isinstance(event, Sleeping):
        return {"event": "sleeping", "until": milliseconds(event.until), "seconds": event.seconds}
    return {"event": "suspended"}


def _call_of(tool_call: ToolCall) -> Dict[str, Any]:
    stdin, encoding = shown(tool_call.stdin)
    return {
        "callId": tool_call.call_id,
        "name": tool_call.name,
        "args": tool_call.args,
        "stdin": stdin,
        "stdinEncoding": encoding,
        "cwd": tool_call.cwd,
        "env": tool_call.env,
        "forkedFrom": tool_call.forked_from,
    }


@method("runs.pending", "The unanswered tool calls, oldest first.", (RUN_ID,), record({"calls": listed(TOOL_CALL)}))
def _pending(call: Call, p: Dict[str, Any]) -> Any:
    return {"calls": [_call_of(c) for c in _found(call, p).pending()]}


@method(
    "runs.resume",
    "Answer an event; the run goes on at the next `runs.next`. One of `callId` (with `stdout`, `stderr`, `exitCode`, or `error`), "
    "`data` (for `inputNeeded`; empty is end of file) and `add` (for `limitReached`).",
    (
        RUN_ID,
        Param("callId", nullable(STRING), "The tool call.", None),
        Param("stdout", STRING, "What the tool printed.", ""),
        Param("stderr", STRING, "And to its standard error.", ""),
        Param("exitCode", INTEGER, "And how it ended.", 0),
        Param("error", nullable(STRING), "The tool failed: a text for standard error, exit code 1.", None),
        Param("data", nullable(STRING), "Input.", None),
        Param(
            "add",
            nullable({"type": "object", "additionalProperties": {"type": "number", "exclusiveMinimum": 0}}),
            "Limit to amount: seconds for `timeout` and `time`, counts for the others.",
            None,
        ),
        Param("encoding", ENCODING, "Of `stdout`, `stderr` and `data`.", "utf-8"),
    ),
    OK,
)
def _answer(call: Call, p: Dict[str, Any]) -> Any:
    run = _found(call, p)
    if sum(p[name] is not None for name in ("callId", "data", "add")) != 1:
        raise RpcError(INVALID_PARAMS, "runs.resume: one of callId, data and add is needed")
    if p["data"] is not None:
        run.resume(InputNeeded(0), data=content(p["data"], p["encoding"], "data"))
    elif p["add"] is not None:
        run.resume(LimitReached(next(iter(p["add"]), "")), add=p["add"])
    elif p["error"] is not None:
        run.resume(p["callId"], error=EryxshError(p["error"]))
    else:
        out, err = (content(p[name], p["encoding"], name) for name in ("stdout", "stderr"))
        run.resume(p["callId"], stdout=out, stderr=err, exit_code=p["exitCode"])
    return DONE


@method("runs.active", "The active run, or null.", (), record({"runId": nullable(STRING)}))
def _active(call: Call, p: Dict[str, Any]) -> Any:
    active = call.sandbox.runs.active()
    return {"runId": None if active is None else active.id}


_KEY = Param("key", nullable(BASE64), "Signs the state, or checks its signature.", None)


@method("runs.dump", "The run and its sandbox as bytes.", (RUN_ID, _KEY), record({"data": BASE64}))
def _dump(call: Call, p: Dict[str, Any]) -> Any:
    return {"data": to_base64(_found(call, p).dump(key=from_base64(p["key"])))}


@method(
    "runs.load",
    "A run, in a new sandbox of its own, out of what `runs.dump` gave.",
    (Param("data", BASE64, "The bytes."), LABEL, EXTENSIONS, TIMEOUT, LIMITS_PARAM, _KEY),
    record({"sandboxId": STRING, "runId": STRING}),
    on="new",
)
def _load(call: Call, p: Dict[str, Any]) -> Any:
    run = Run.load(
        from_base64(p["data"]),
        tools=tools(call, p["extensions"]),
        key=from_base64(p["key"]),
        limits=limits(p["limits"]),
        isolation=call.client.options.isolation,
        **seconds(p),
    )
    call.hosted.sandbox = run.sandbox
    call.hosted.run = run
    return {"sandboxId": call.hosted.id, "runId": run.id}


def _at_once(call: Call, p: Dict[str, Any]) -> Run:
    """The run a request is about that waits for nothing."""
    call.hosted = call.client.find(p["sandboxId"])
    return _found(call, p)


@method("runs.cancel", "End a run, at once, with exit code 130.", (RUN_ID, SANDBOX_ID), OK, on="now")
def _cancel(call: Call, p: Dict[str, Any]) -> Any:
    _at_once(call, p).cancel()
    return DONE


@method(
    "runs.suspend", "Stop a run at its next step, at once: `runs.next` is answered with `suspended`.", (RUN_ID, SANDBOX_ID), OK, on="now"
)
def _suspend(call: Call, p: Dict[str, Any]) -> Any:
    _at_once(call, p).suspend()
    return DONE
