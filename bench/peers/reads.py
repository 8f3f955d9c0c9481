#!/usr/bin/python3
"""Reads of a running application by pyatspi and dogtail, each on request.

    reads.py APPLICATION

For each line of standard input, "walk", "find ROLE|NAME" or "dogtail
ROLE|NAME", prints one line of JSON: the milliseconds, and how many nodes were
seen. Nothing is remembered from one request to the next.
"""
import json
import sys
import time

import pyatspi
from dogtail.config import config

config.logDebugToStdOut = False
config.logDebugToFile = False
config.checkForA11y = False
config.searchBackoffDuration = 0.005

from dogtail import tree  # noqa: E402 - reads the configuration

app = next(a for a in pyatspi.Registry.getDesktop(0) if a is not None and a.name == sys.argv[1])


def walk(node):
    yield node
    for child in node:
        if child is not None:
            yield from walk(child)


def whole():
    seen = 0
    for node in walk(app):
        node.getRoleName(), node.name, node.getState().getStates()
        seen += 1
    return seen


def find(role, name):
    for seen, node in enumerate(walk(app)):
        if node.getRoleName() == role and node.name == name:
            return seen + 1
    return 0


def by_dogtail(role, name):
    return 1 if tree.root.application(sys.argv[1]).child(name=name, roleName=role, retry=False) else 0


for line in sys.stdin:
    what, _, rest = line.rstrip("\n").partition(" ")
    app.clear_cache()
    began = time.monotonic()
    nodes = {"walk": whole, "find": find, "dogtail": by_dogtail}[what](*(rest.split("|") if rest else []))
    print(json.dumps({"ms": (time.monotonic() - began) * 1000, "nodes": nodes}), flush=True)
