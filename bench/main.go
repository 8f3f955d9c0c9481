//go:build linux

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// fullRounds is how often everything is measured where BENCH_ROUNDS says
// nothing; quickRounds with -quick.
const (
	fullRounds  = 4
	quickRounds = 2
)

func run(ctx context.Context) error {
	opendesk := flag.String("opendesk", "bin/opendesk", "the `program` to measure")
	dir := flag.String("dir", "bench", "this package's `folder`")
	document := flag.String("document", "docs/performance.md", "the `document` with the tables")
	quick := flag.Bool("quick", false, "few rounds, and without what takes long")
	check := flag.Bool("check", false, "compare with bench/results.json and write nothing; exit code 1 where something is slower")
	render := flag.Bool("render", false, "write the tables of bench/results.json anew and measure nothing")
	only := flag.String("only", "", "`parts` to measure, separated by commas; nothing is written then")
	who := flag.String("who", "", "`contestants` in the flows, separated by semicolons; all by default")
	flag.Parse()

	b := &bench{ctx: ctx, rounds: fullRounds, quick: *quick || *check, book: newBook(), who: *who}
	if b.quick {
		b.rounds = quickRounds
	}
	if s := os.Getenv("BENCH_ROUNDS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return fmt.Errorf("BENCH_ROUNDS is %q: a number of rounds", s)
		}
		b.rounds = n
	}
	var err error
	if b.opendesk, err = filepath.Abs(*opendesk); err != nil {
		return err
	}
	if b.dir, err = filepath.Abs(*dir); err != nil {
		return err
	}
	if b.temp, err = os.MkdirTemp("", "opendesk-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.temp) //nolint:errcheck // temporary

	stored := filepath.Join(b.dir, "results.json")
	if *render {
		r, err := readReport(stored)
		if err != nil {
			return err
		}
		return writeTables(*document, r)
	}
	var before *Report
	if *check { // before minutes are spent
		if before, err = readReport(stored); err != nil {
			return fmt.Errorf("the committed figures: %w", err)
		}
	}
	began := time.Now()
	r := &Report{Commit: commit(), Quick: b.quick, Cores: runtime.NumCPU(), Load: load()}
	if err := b.measure(*only); err != nil {
		return err
	}
	if *check {
		return b.check(before, r, *only)
	}
	b.overheads()
	r.TookS = time.Since(began).Seconds()
	r.Figures = b.book.figures()
	switch {
	case *only != "":
		print(os.Stdout, r)
		return nil
	}
	print(os.Stdout, r)
	if err := r.write(stored); err != nil {
		return err
	}
	return writeTables(*document, r)
}

// check compares with the committed run. What looks worse is measured once more
// before it is said to be.
func (b *bench) check(before, now *Report, only string) error {
	measured := func(part string) bool { return asked(only, part) }
	now.Figures = b.book.figures()
	list := compare(before, now, measured)
	if again := doubtful(list); len(again) > 0 {
		b.logf("once more, since something looks worse: %s", strings.Join(again, ", "))
		if err := b.measure(strings.Join(again, ",")); err != nil {
			return err
		}
		now.Figures = b.book.figures()
		list = compare(before, now, measured)
	}
	for _, c := range list {
		fmt.Println(c.line)
	}
	return verdict(list)
}

// asked reports whether the part is one of those that are asked for.
func asked(only, part string) bool {
	return only == "" || slices.Contains(strings.Split(only, ","), part)
}

// measure measures the parts that are asked for, all where only is "".
func (b *bench) measure(only string) error {
	parts := []struct {
		name string
		run  func() error
	}{
		{"flows", b.flows}, {"reads", b.reads}, {"titles", b.titles}, {"ocr", b.ocr}, {"sessions", b.sessions}, {"workers", b.workers},
	}
	for _, p := range parts {
		if !asked(only, p.name) {
			continue
		}
		began := time.Now()
		if err := p.run(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		b.logf("%s took %.0f s", p.name, time.Since(began).Seconds())
	}
	return nil
}

func commit() string {
	out, _ := exec.Command("git", "describe", "--always", "--dirty").Output()
	return strings.TrimSpace(string(out))
}

func load() string {
	data, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(data), " ")
	return first
}
