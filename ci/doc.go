// Package ci holds the checks of the repository itself: its tests hold the
// import table of ARCHITECTURE.md and the house rules against the sources.
package ci
