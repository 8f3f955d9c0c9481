#!/usr/bin/python3
"""One flow with pyatspi for looking and xdotool for acting, one call after the
other, as such scripts are commonly written.

    pyatspi_flow.py default|fastest calc|note|qt

"default" looks every 250 ms and sleeps after what it does; "fastest" has no
sleep but 5 ms between two looks. Prints one line of JSON; see dogtail_flow.py.
"""
import json
import subprocess
import sys
import time

import pyatspi

mode, flow = sys.argv[1:]
POLL, AFTER_START, AFTER_ACTION = {"default": (0.25, 0.5, 0.2), "fastest": (0.005, 0, 0)}[mode]
TIMEOUT = 20

actions = []


def poll(look, what):
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        try:
            found = look()
        except Exception:  # an object that has just gone
            found = None
        if found:
            return found
        time.sleep(POLL)
    sys.exit("pyatspi_flow: no " + what)


def application(name):
    for app in pyatspi.Registry.getDesktop(0):
        if app is not None and app.name == name:
            return app


def walk(node):
    yield node
    for child in node:
        if child is not None:
            yield from walk(child)


def find(app, role, name):
    app.clear_cache()
    for node in walk(app):
        if node.getRoleName() == role and node.name.strip() == name:
            return node


def act(what, *args):
    began = time.monotonic()
    what(*args)
    time.sleep(AFTER_ACTION)
    actions.append((time.monotonic() - began) * 1000)


def xdotool(*args):
    subprocess.run(("xdotool",) + args, check=True)


def click(node):
    action = node.queryAction()
    for i in range(action.nActions):
        if action.getName(i) == "click":
            return action.doAction(i)
    sys.exit("pyatspi_flow: cannot click " + node.name)


def click_by_mouse(node):
    box = node.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
    xdotool("mousemove", str(box.x + box.width // 2), str(box.y + box.height // 2), "click", "1")


def calc(app):
    for key in ("1", "plus", "2", "Return"):
        act(xdotool, "key", key)
    poll(lambda: find(app, "label", "3"), "label 3")


def note(app):
    act(xdotool, "type", "--delay", "12" if mode == "default" else "1", "Dear reader")
    act(lambda: click_by_mouse(poll(lambda: find(app, "menu", "File"), "menu File")))
    act(lambda: click_by_mouse(poll(lambda: find(app, "menu item", "Save As..."), "Save As...")))
    poll(lambda: find(app, "file chooser", "Save As"), "dialog")
    act(xdotool, "key", "Escape")

    def title():
        app.clear_cache()
        return app[0].name.startswith("*Untitled 1")
    poll(title, "title *Untitled 1")


def qt(app):
    for key in ("4", "2"):
        act(xdotool, "key", key)
    poll(lambda: find(app, "frame", "42"), "frame 42")


COMMANDS = {"calc": "gnome-calculator", "note": "mousepad", "qt": "kcalc"}


def shown():
    app = application(COMMANDS[flow])
    if app is None:
        return None
    app.clear_cache()
    return app if len(app) and len(app[0]) else None


began = time.monotonic()
subprocess.Popen([COMMANDS[flow]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
app = poll(shown, "application")
xdotool("search", "--sync", "--onlyvisible", "--class", COMMANDS[flow], "windowactivate", "--sync")
time.sleep(AFTER_START)
opened = time.monotonic()
{"calc": calc, "note": note, "qt": qt}[flow](app)
ended = time.monotonic()
print(json.dumps({"start_ms": (opened - began) * 1000, "actions_ms": actions, "flow_ms": (ended - began) * 1000}))
