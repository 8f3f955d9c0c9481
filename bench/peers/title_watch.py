#!/usr/bin/python3
"""Watches the title of the application titles.py.

    title_watch.py SECONDS|events

For each line of standard input, waits until the title is that, looking every
SECONDS or at every event, and prints the moment, on the monotonic clock.
"""
import sys
import threading
import time

import pyatspi

interval = None if sys.argv[1] == "events" else float(sys.argv[1])
app = next(a for a in pyatspi.Registry.getDesktop(0) if a is not None and a.name == "titles.py")


def holds(title):
    app.clear_cache()
    return any(window is not None and title in window.name for window in app)


def seen():
    print(time.clock_gettime(time.CLOCK_MONOTONIC), flush=True)


def poll():
    for line in sys.stdin:
        while not holds(line.rstrip("\n")):
            time.sleep(interval)
        seen()


def listen():
    wanted = []

    def changed(_event):
        if wanted and holds(wanted[0]):
            del wanted[0]
            seen()

    def read():
        for line in sys.stdin:
            wanted.append(line.rstrip("\n"))

    pyatspi.Registry.registerEventListener(changed, "object:property-change:accessible-name")
    threading.Thread(target=read, daemon=True).start()
    print("ready", flush=True)
    pyatspi.Registry.start()


poll() if interval else listen()
