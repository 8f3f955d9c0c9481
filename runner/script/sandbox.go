package script

// Sandbox runs scripts in sandboxes of bwrap: it is the Runner.
type Sandbox struct {
	// Starter starts them, Local{} where it is nil.
	Starter Starter
}
