#!/usr/bin/python3
"""One flow, written for dogtail as its documentation shows it.

    dogtail_flow.py default|fastest calc|note|qt

"fastest" is the same script with every delay of dogtail's configuration at
its minimum. Prints one line of JSON: the milliseconds from the start of the
application to its being there, of each action, and of the whole flow.
"""
import json
import sys
import time

from dogtail.config import config

mode, flow = sys.argv[1:]
config.logDebugToStdOut = False
config.logDebugToFile = False
config.checkForA11y = False
if mode == "fastest":
    config.actionDelay = 0
    config.typingDelay = 0
    config.defaultDelay = 0
    config.runInterval = 0.005
    config.searchBackoffDuration = 0.005
    config.searchCutoffCount = 2000

from dogtail import rawinput, tree  # noqa: E402 - reads the configuration
from dogtail.utils import run  # noqa: E402

actions = []


def act(what, *args, **named):
    began = time.monotonic()
    what(*args, **named)
    actions.append((time.monotonic() - began) * 1000)


def expect(condition, what):
    if not condition:
        sys.exit("dogtail_flow: " + what)


def calc():
    app = tree.root.application("gnome-calculator")
    for key in ("1", "plus", "2", "Return"):
        act(rawinput.pressKey, key)
    app.child(name="3", roleName="label")


def note():
    app = tree.root.application("mousepad")
    act(app.child(roleName="text").typeText, "Dear reader")
    act(app.menu("File").click)
    act(app.menuItem("Save As...      ").click)  # the name as the application gives it
    app.child(name="Save As", roleName="file chooser")
    act(rawinput.pressKey, "Escape")
    expect(app.children[0].name.startswith("*Untitled 1"), "title is " + app.children[0].name)


def qt():
    app = tree.root.application("kcalc")
    for key in ("4", "2"):
        act(rawinput.pressKey, key)
    app.child(name="42", roleName="frame")


COMMANDS = {"calc": "gnome-calculator", "note": "mousepad", "qt": "kcalc"}
began = time.monotonic()
run(COMMANDS[flow], appName=COMMANDS[flow])
opened = time.monotonic()
{"calc": calc, "note": note, "qt": qt}[flow]()
ended = time.monotonic()
print(json.dumps({"start_ms": (opened - began) * 1000, "actions_ms": actions, "flow_ms": (ended - began) * 1000}))
