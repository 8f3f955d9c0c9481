// Package linux is a desktop.Desktop on one X display: it composes the
// accessibility bus, the X server, pointer and keyboard, and screenshots.
//
// Three things need more than one of them and are done here: the identity of
// applications (accessibility tree, WM_CLASS, process, .desktop file), screen
// coordinates of toolkits that know only their own windows (GTK 4), and
// opening, focusing and closing applications.
package linux
