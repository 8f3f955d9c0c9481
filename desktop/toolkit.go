package desktop

// Toolkit is a family of toolkits that behave alike.
type Toolkit string

// The toolkits that need to be told apart.
const (
	GTK2        Toolkit = "gtk2"
	GTK3        Toolkit = "gtk3"
	GTK4        Toolkit = "gtk4"
	Qt          Toolkit = "qt" // 5 and 6
	Chromium    Toolkit = "chromium"
	Swing       Toolkit = "swing"
	LibreOffice Toolkit = "libreoffice"
)
