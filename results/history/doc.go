// Package history keeps what came of a project's runs in one SQLite file,
// history.db: per run where it took place, per program and step the status, the
// duration and the means, and the programs' files as they were.
//
// Several processes can read and write at the same time (write-ahead log, each
// run in one transaction). A file that is damaged is kept aside and a new one
// begun; one of a newer version of opendesk is refused and left alone.
package history
