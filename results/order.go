package results

import (
	"crypto/sha256"
	"strconv"
)

// PlanKey is what a plan is in the order of: the path, or with the seed of a
// random order something that follows from both. Programs keep their order
// among each other whatever else is in the plan.
func PlanKey(seed int64, path string) string {
	if seed == 0 {
		return path
	}
	sum := sha256.Sum256([]byte(strconv.FormatInt(seed, 10) + "\x00" + path))
	return string(sum[:])
}
