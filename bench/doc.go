// Command bench measures opendesk and its peers in one run, by turns, and
// writes bench/results.json and the tables of docs/performance.md. `make bench`
// runs it. Linux only.
package main
