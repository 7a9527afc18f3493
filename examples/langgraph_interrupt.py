"""A LangGraph node whose interrupt is a suspended run.

    pip install 'eryxsh[frameworks]'
    python examples/langgraph_interrupt.py                      the whole story, a process for each answer
    python examples/langgraph_interrupt.py start FOLDER         or by hand: run to the first question,
    python examples/langgraph_interrupt.py answer FOLDER yes    answer it, and so on

LangGraph's ``interrupt()`` runs a node from its beginning when the answer comes. Here a script is
in the middle of its loop when it asks; the node saves the running script in a store, and its name
there is what the graph's state has. The graph stops behind the node (``interrupt_after``), and the
next time the node is entered, in any process, it goes on with the next line of the script: no node
is executed twice, no command, and no tool call.
"""

from __future__ import annotations

import argparse
import functools
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from eryxsh import Run, RunSuspended, Sandbox, Store, ToolCall

SCRIPT = """
for page in intro usage faq; do
    echo "# $page" > "$page.md"
    verdict=$(approve "publish $page?")
    if [[ $verdict == yes ]]; then publish "$page.md"; ((published++)); fi
done
echo "$published of $(ls *.md | wc -l) pages published"
"""


class State(TypedDict, total=False):
    """What the graph keeps between two processes: a few words, not a sandbox."""

    run: str  # where the suspended run is in the store
    call_id: str  # of the question
    question: str  # none: the script has ended
    answer: str
    output: str


def publish(folder: pathlib.Path, call: ToolCall) -> None:
    """A tool with an effect outside; the call_id is there for who must not do it twice."""
    with (folder / "site.log").open("a") as site:
        site.write(f"{call.args[0]} {call.files.read_text(call.cwd + '/' + call.args[0]).strip()} {call.call_id}\n")


def shell(folder: pathlib.Path, state: State) -> Dict[str, Any]:
    """The node: run the script up to its next question."""
    with (folder / "nodes.log").open("a") as log:
        log.write(f"shell in process {os.getpid()}\n")
    tools = {"approve": None, "publish": functools.partial(publish, folder)}  # None: answered from outside
    with Store(folder / "store") as store:
        if "run" not in state:
            run = Sandbox(tools=tools).commands.start(SCRIPT)
        else:
            run = Run.load(state["run"], store=store, tools=tools)
            run.resume(state["call_id"], stdout=state["answer"])
        with run.sandbox:
            try:
                return {"output": run.drive().check().stdout, "question": ""}
            except RunSuspended:
                call = run.pending()[0]
                return {"run": run.dump(store=store), "call_id": call.call_id, "question": call.args[0]}


def step(folder: pathlib.Path, given: Any) -> State:
    """Invoke the graph, with its checkpoints in SQLite; gives its state."""
    graph = StateGraph(State)
    graph.add_node("shell", functools.partial(shell, folder))
    graph.add_edge(START, "shell")
    graph.add_conditional_edges("shell", lambda state: "shell" if state["question"] else END)
    with SqliteSaver.from_conn_string(str(folder / "graph.db")) as saver:
        app = graph.compile(checkpointer=saver, interrupt_after=["shell"])
        state: Any = app.invoke(given, {"configurable": {"thread_id": "docs"}})
    return state


def told(state: State) -> str:
    """What a person is to see."""
    return state["question"] or state["output"].rstrip("\n")


def story(folder: pathlib.Path) -> None:
    """Each answer in a process of its own."""

    def process(*arguments: str) -> str:
        done = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        return done.stdout

    print(process("start", str(folder)), end="")
    for verdict in ("yes", "no", "yes"):
        print(f"  {verdict}\n" + process("answer", str(folder), verdict), end="")
    nodes = (folder / "nodes.log").read_text().splitlines()
    site = [line.rsplit(" ", 1) for line in (folder / "site.log").read_text().splitlines()]
    assert len(nodes) == len(set(nodes)) == 4, nodes  # one for each part of the script
    assert [what for what, _ in site] == ["intro.md # intro", "faq.md # faq"], site
    assert len({call_id for _, call_id in site}) == 2
    print(f"{len(nodes)} parts of one script in {len(set(nodes))} processes, {len(site)} tool calls: each once")


def main(arguments: List[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("verb", nargs="?", choices=["start", "answer"])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("text", nargs="?", default="")
    options = parser.parse_args(arguments)
    if options.verb is None:
        with tempfile.TemporaryDirectory() as folder:
            story(pathlib.Path(folder))
    elif options.verb == "start":
        print(told(step(options.folder, {"question": ""})))
    else:
        print(told(step(options.folder, Command(update={"answer": options.text}))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
