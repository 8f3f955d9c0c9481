package inventory

import (
	"path"
	"slices"
)

// platform are the packages that any program can depend on, as path.Match has
// it: names of Debian and Ubuntu (where a 64-bit time_t gave some of them the
// ending t64), then what Fedora and its relatives call otherwise.
var platform = []string{
	// A session.
	"xvfb", "xserver-common", "xkb-data", "openbox", "dbus", "dbus-daemon", "at-spi2-core", "bubblewrap", "locales", "locales-all",
	"libatspi2.0-0*", "libatk-bridge2.0-0*", "libatk1.0-0*", "libatk-adaptor", "libgail-common", "libx11-6", "libxtst6",
	// Toolkits.
	"libglib2.0-0*", "libgtk2.0-0*", "libgtk-3-0*", "libgtk-4-1", "libadwaita-1-0", "gir1.2-gtk-[34].0",
	"libqt5core5*", "libqt5gui5*", "libqt5widgets5*", "libqt6core6*", "libqt6gui6*", "libqt6widgets6*",
	"qt6-qpa-plugins", "python3-gi", "python3-pyqt[56]", "libatk-wrapper-java-jni", "libwxgtk*", "libsdl2-2.0-0",
	// What text looks like.
	"fonts-*", "fontconfig", "libfontconfig1", "libfreetype6", "libpango-1.0-0", "libcairo2", "libharfbuzz0b", "librsvg2-common",
	"adwaita-icon-theme",
	// Reading it.
	"tesseract-ocr", "tesseract-ocr-*", "libtesseract[0-9]", "liblept[0-9]*", "libleptonica*",
	// Large applications whose parts are packages of their own.
	"libreoffice-core", "libreoffice-common", "libreoffice-gtk[34]", "libreoffice-qt[56]",
	// Everything.
	"libc6", "libstdc++6", "libgl1-mesa-dri",

	"xorg-x11-server-Xvfb", "xkeyboard-config", "at-spi2-atk", "dbus-broker", "glib2", "gtk[234]", "libadwaita", "qt[56]-qtbase", "qt[56]-qtbase-gui",
	"python3-gobject", "*-fonts", "freetype", "pango", "cairo", "harfbuzz", "librsvg2", "tesseract", "tesseract-langpack-*",
	"leptonica", "glibc", "libstdc++", "mesa-dri-drivers", "libX11", "libXtst",
}

// notPlatform are packages that the patterns match and that no program can
// depend on.
var notPlatform = []string{"*-dev", "*-doc", "*-dbg", "*-dbgsym"}

func isPlatform(name string) bool { return matches(platform, name) && !matches(notPlatform, name) }

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}
