//go:build !linux || !cgo

package input

// Available says whether this build can move the pointer and type.
const Available = false
