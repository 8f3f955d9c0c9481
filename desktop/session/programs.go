package session

// Where distributions put the programs of at-spi2-core, none of which is on
// PATH; the first that exists is taken.
var (
	LauncherPrograms = libexec("at-spi-bus-launcher")
	RegistryPrograms = libexec("at-spi2-registryd")
)

func libexec(name string) []string {
	return []string{
		name, "/usr/libexec/" + name, "/usr/libexec/at-spi2/" + name,
		"/usr/lib/at-spi2-core/" + name, "/usr/lib/at-spi2/" + name, "/usr/lib/" + name,
	}
}
