"""A window with one text field, by the toolkit named in argv[1].

Answers each line on its standard input with one line of JSON on its standard
output: the field's text and what the pointer and keys did so far. Further
arguments: multiline, alone (do not listen), secret (a password field), and
drop=X (the field loses each X).
"""
import json
import sys

toolkit, options = sys.argv[1], sys.argv[2:]
multiline, alone, secret = "multiline" in options, "alone" in options, "secret" in options
drop = "".join(o[5:] for o in options if o.startswith("drop="))
events = []
text = lambda: ""


def answer(*_):
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    print(json.dumps({"text": text(), "events": events}), flush=True)
    return True


if toolkit == "gtk3":
    import gi
    gi.require_version("Gtk", "3.0")
    from gi.repository import GLib, Gtk
    window = Gtk.Window(title="field")
    window.set_default_size(400, 300)
    if multiline:
        field = Gtk.TextView()
        buffer = field.get_buffer()
        text = lambda: buffer.get_text(buffer.get_start_iter(), buffer.get_end_iter(), True)
    else:
        field = Gtk.Entry(visibility=not secret)
        text = field.get_text
        if drop:
            field.get_buffer().connect_after("inserted-text", lambda b, at, new, n: new == drop and b.delete_text(at, n) and None)
    window.add(field)
    field.connect("key-press-event", lambda w, e: events.append(["key", e.keyval, int(e.state)]) and False)
    names = {"GDK_BUTTON_PRESS": "press", "GDK_2BUTTON_PRESS": "double", "GDK_3BUTTON_PRESS": "triple", "GDK_BUTTON_RELEASE": "release"}
    button = lambda w, e: events.append([names[e.type.value_name], e.button, int(e.x_root), int(e.y_root)]) and False
    from gi.repository import Gdk
    window.add_events(Gdk.EventMask.ALL_EVENTS_MASK & ~Gdk.EventMask.POINTER_MOTION_HINT_MASK)
    for w in (field,):
        w.add_events(Gdk.EventMask.BUTTON_PRESS_MASK | Gdk.EventMask.BUTTON_RELEASE_MASK | Gdk.EventMask.SCROLL_MASK | Gdk.EventMask.POINTER_MOTION_MASK)
        w.connect("button-press-event", button)
        w.connect("button-release-event", button)
        w.connect("scroll-event", lambda w, e: events.append(["scroll", e.direction.value_nick]) and False)
        w.connect("motion-notify-event", lambda w, e: events.append(["motion", int(e.x_root), int(e.y_root)]) and False)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    field.grab_focus()
    if not alone:
        GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, answer)
    Gtk.main()
elif toolkit == "gtk4":
    import gi
    gi.require_version("Gtk", "4.0")
    from gi.repository import GLib, Gtk
    Gtk.init()
    window = Gtk.Window(title="field")
    window.set_default_size(400, 300)
    if multiline:
        field = Gtk.TextView()
        buffer = field.get_buffer()
        text = lambda: buffer.get_text(buffer.get_start_iter(), buffer.get_end_iter(), True)
    else:
        field = Gtk.PasswordEntry() if secret else Gtk.Entry()
        text = field.get_text
        if drop and secret:
            field.connect("changed", lambda *_: GLib.idle_add(lambda: drop in text() and field.set_text(text().replace(drop, ""))) and None)
        elif drop:
            field.get_buffer().connect_after("inserted-text", lambda b, at, new, n: new == drop and b.delete_text(at, n) and None)
    window.set_child(field)
    window.present()
    field.grab_focus()
    if not alone:
        GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, answer)
    loop = GLib.MainLoop()
    window.connect("close-request", lambda *_: loop.quit())
    loop.run()
else:
    if toolkit == "qt5":
        from PyQt5 import QtCore, QtWidgets
    else:
        from PyQt6 import QtCore, QtWidgets
    app = QtWidgets.QApplication(sys.argv[:1])
    field = QtWidgets.QPlainTextEdit() if multiline else QtWidgets.QLineEdit()
    text = field.toPlainText if multiline else field.text
    if secret:
        field.setEchoMode(QtWidgets.QLineEdit.EchoMode.Password)
    if drop:
        field.textChanged.connect(lambda t: drop in t and field.setText(t.replace(drop, "")))
    window = QtWidgets.QWidget()
    QtWidgets.QVBoxLayout(window).addWidget(field)
    window.setWindowTitle("field")
    window.resize(400, 300)
    window.show()
    if not alone:
        notifier = QtCore.QSocketNotifier(0, QtCore.QSocketNotifier.Type.Read)
        notifier.activated.connect(answer)
    app.exec()
