#!/usr/bin/python3
"""A window whose title becomes each line of standard input. Prints the moment
just before, on the monotonic clock, in seconds."""
import sys
import threading
import time

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

window = Gtk.Window(title="Titles")
window.add(Gtk.Label(label="Titles"))
window.show_all()


def change(title):
    print(time.clock_gettime(time.CLOCK_MONOTONIC), flush=True)
    window.set_title(title)


def read():
    for line in sys.stdin:
        GLib.idle_add(change, line.rstrip("\n"))
    GLib.idle_add(Gtk.main_quit)


threading.Thread(target=read, daemon=True).start()
Gtk.main()
