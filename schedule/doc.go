// Package schedule runs tasks at their times: the store of schedules, the
// grammar of timings, and the daemon. What a task does it does not know: that
// is a function which it is given.
package schedule
