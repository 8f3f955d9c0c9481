package tools

// What a script may use where its step says nothing, which is also the most
// that it may ask for where eval.yaml says nothing.
const (
	// ScriptTimeoutMS is how long a script may take, in milliseconds.
	ScriptTimeoutMS = 30_000
	// ScriptCPUSeconds is the processor time of each of its processes.
	ScriptCPUSeconds = 30
	// ScriptMemoryMiB is the memory of all its processes together.
	ScriptMemoryMiB = 512
	// ScriptProcesses is how many processes and threads there may be at a time.
	ScriptProcesses = 64
	// ScriptDiskMiB is what it may write.
	ScriptDiskMiB = 200
)

// Bounds of what any project may allow.
const (
	maxScriptCPU       = 3_600
	maxScriptMemory    = 64 << 10
	maxScriptProcesses = 4_096
	maxScriptDisk      = 64 << 10
)

var script = []Param{
	{Name: "file", Type: String, Required: true, NonEmpty: true, Path: true,
		Doc: "The Python file, relative to the folder code beside the learned program, such as main.py."},
	{Name: "args", Type: StringList, Doc: "The arguments, as the script finds them in sys.argv."},
	{Name: "timeout_ms", Type: Integer, Default: ScriptTimeoutMS, Minimum: bound(1), Maximum: bound(maxMilliseconds), Unit: "ms",
		Doc: "How long it may take: then it is ended, and the step fails."},
	{Name: "cpu_seconds", Type: Integer, Default: ScriptCPUSeconds, Minimum: bound(1), Maximum: bound(maxScriptCPU), Unit: "s",
		Doc: "How much processor time it may use."},
	{Name: "memory_mib", Type: Integer, Default: ScriptMemoryMiB, Minimum: bound(32), Maximum: bound(maxScriptMemory), Unit: "MiB",
		Doc: "How much memory it may use."},
	{Name: "processes", Type: Integer, Default: ScriptProcesses, Minimum: bound(1), Maximum: bound(maxScriptProcesses), Unit: "processes",
		Doc: "How many processes and threads it may have at a time."},
	{Name: "disk_mib", Type: Integer, Default: ScriptDiskMiB, Minimum: bound(1), Maximum: bound(maxScriptDisk), Unit: "MiB",
		Doc: "How much it may write."},
}
