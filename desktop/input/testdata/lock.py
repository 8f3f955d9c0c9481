"""Locks a layout group of the keyboard ("group N"), or says what is locked ("state")."""
import ctypes
import sys

x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype = ctypes.c_void_p
display = ctypes.c_void_p(x.XOpenDisplay(None))
if sys.argv[1] == "group":
    x.XkbLockGroup(display, 0x100, int(sys.argv[2]))


class State(ctypes.Structure):
    _fields_ = [("group", ctypes.c_ubyte), ("locked_group", ctypes.c_ubyte),
                ("base_group", ctypes.c_ushort), ("latched_group", ctypes.c_ushort),
                ("mods", ctypes.c_ubyte), ("base_mods", ctypes.c_ubyte),
                ("latched_mods", ctypes.c_ubyte), ("locked_mods", ctypes.c_ubyte),
                ("rest", ctypes.c_ubyte * 16)]


state = State()
x.XkbGetState(display, 0x100, ctypes.byref(state))
x.XSync(display, 0)
print("group", state.group, "locked", state.locked_mods)
