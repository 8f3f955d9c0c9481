package cli

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
)

const workersHelp = `By default there is one worker for every two cores, since an application and its
X server work at the same time, but not more than one for every 1.5 GiB of memory
that is available, and at least one.`

// memoryPerWorker is what a session with its applications may need, in bytes.
const memoryPerWorker = 3 << 29

// defaultWorkers is how many programs run at the same time where nobody says
// it. memory is in bytes, 0 where it is not known.
func defaultWorkers(cores int, memory uint64) int {
	workers := (cores + 1) / 2
	if memory > 0 {
		workers = min(workers, int(min(memory/memoryPerWorker, maxWorkers)))
	}
	return min(max(workers, 1), maxWorkers)
}

// machine is what this process may use: cores, and bytes of memory, 0 where
// that is not known.
func machine() (cores int, memory uint64) {
	cores = runtime.GOMAXPROCS(0)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		memory = availableMemory(text)
	}
	for _, group := range []struct{ limit, used string }{
		{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
	} {
		limit, known := readNumber(group.limit)
		used, _ := readNumber(group.used)
		if known && (memory == 0 || limit-min(used, limit) < memory) {
			memory = max(limit-min(used, limit), 1)
		}
	}
	return cores, memory
}

// availableMemory reads MemAvailable, in bytes, 0 where it is not there.
func availableMemory(meminfo []byte) uint64 {
	for line := range bytes.Lines(meminfo) {
		fields := bytes.Fields(line)
		if len(fields) < 2 || string(fields[0]) != "MemAvailable:" {
			continue
		}
		kib, err := strconv.ParseUint(string(fields[1]), 10, 53)
		if err != nil {
			return 0
		}
		return kib << 10
	}
	return 0
}

// readNumber reads a file that holds a number; false for one that does not
// ("max").
func readNumber(path string) (uint64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}
