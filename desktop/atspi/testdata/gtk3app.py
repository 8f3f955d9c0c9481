#!/usr/bin/python3
"""A GTK 3 application whose every widget a test knows."""
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Atk", "1.0")
from gi.repository import GLib, Gtk  # noqa: E402

GLib.set_prgname(sys.argv[1] if len(sys.argv) > 1 else "gtk3app")
window = Gtk.Window(title="Widgets")
window.set_default_size(420, 360)
window.connect("destroy", Gtk.main_quit)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(box)


def add(widget, identifier=None):
    if identifier:
        widget.get_accessible().set_accessible_id(identifier)
    box.add(widget)
    return widget


bar = Gtk.MenuBar()
file_item = Gtk.MenuItem(label="File")
file_menu = Gtk.Menu()
file_item.set_submenu(file_menu)
bar.append(file_item)
menu_ask = Gtk.MenuItem(label="Ask by menu")
file_menu.append(menu_ask)
box.add(bar)
status = add(Gtk.Label(label="ready"), "status")


def ask(_button):
    dialog = Gtk.Dialog(title="Question", transient_for=window, modal=True)
    dialog.add_button("Yes", 1)
    dialog.add_button("No", 2)
    dialog.show_all()
    status.set_text("asking")
    answer = dialog.run()
    dialog.destroy()
    status.set_text(f"answer {answer}")


export = add(Gtk.Button(label="Export"), "export-pdf")
export.connect("clicked", lambda _: status.set_text("exported"))
menu_ask.connect("activate", ask)
modal = add(Gtk.Button(label="Ask"))
modal.connect("clicked", ask)
insensitive = add(Gtk.Button(label="Never"))
insensitive.set_sensitive(False)
add(Gtk.CheckButton(label="Checked")).set_active(True)
add(Gtk.ToggleButton(label="Toggle"))
entry = add(Gtk.Entry(text="hello wörld"), "entry")
password = add(Gtk.Entry(text="secret", visibility=False), "password")
spin = add(Gtk.SpinButton.new_with_range(0, 10, 0.5), "spin")
spin.set_value(3.5)
hidden = add(Gtk.Button(label="Hidden"), "hidden")

late = Gtk.Button(label="Late")
swap = add(Gtk.Button(label="Swap"))


def swapped(_button):
    if late.get_parent():
        box.remove(late)
        swap.set_label("Swap")
    else:
        box.add(late)
        late.show()
        swap.set_label("Swapped")


swap.connect("clicked", swapped)
quit_button = add(Gtk.Button(label="Quit"))
quit_button.connect("clicked", lambda _: GLib.idle_add(sys.exit, 0))

store = Gtk.ListStore(str)
for i in range(int(sys.argv[2]) if len(sys.argv) > 2 else 3):
    store.append([f"row {i}"])
view = Gtk.TreeView(model=store)
view.append_column(Gtk.TreeViewColumn("Rows", Gtk.CellRendererText(), text=0))
scroller = Gtk.ScrolledWindow(min_content_height=80)
scroller.add(view)
add(scroller)
if len(sys.argv) > 3:
    view.scroll_to_cell(Gtk.TreePath(int(sys.argv[3])))

window.show_all()
hidden.hide()
Gtk.main()
