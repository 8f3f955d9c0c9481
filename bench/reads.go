//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/resolve"
)

// late is an element near the end of each application's tree.
var late = []struct{ app, role, peerRole, title, peerName string }{
	{"gnome-calculator", "button", "push button", "=", "= ="},
	{"mousepad", "menu", "menu", "Help", "Help"},
	{"kcalc", "button", "push button", "=", "="},
}

// readRounds is how often a tree is read in each round.
const readRounds = 4

// reads measures how long it takes to read a whole tree, and to find one
// element of it, by turns with pyatspi and dogtail.
func (b *bench) reads() error {
	for _, l := range late {
		if err := b.readsOf(l.app, program.Target{App: l.app, Role: l.role, Title: l.title}, l.peerRole+"|"+l.peerName); err != nil {
			return fmt.Errorf("%s: %w", l.app, err)
		}
	}
	return nil
}

func (b *bench) readsOf(app string, target program.Target, peerTarget string) error {
	r, err := b.rig()
	if err != nil {
		return err
	}
	defer r.close() //nolint:errcheck // nothing is lost
	d, err := r.desktop()
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // read only
	if _, err := d.OpenApp(b.ctx, desktop.Launch{Name: app}); err != nil {
		return err
	}
	peer, err := r.talk("reads.py", app)
	if err != nil {
		return err
	}
	defer peer.end()
	finder := resolve.Finder{Desktop: d}
	for range b.rounds * readRounds {
		began := time.Now()
		s, err := d.Snapshot(b.ctx, app, 0)
		if err != nil {
			return err
		}
		b.book.took("tree/"+app, us, time.Since(began))
		b.book.add("nodes/"+app, us, "nodes", float64(nodes(s)))
		if err := b.peerRead(peer, "walk", "tree/"+app, "pyatspi", "nodes/"+app); err != nil {
			return err
		}

		began = time.Now()
		found, _, err := finder.Look(b.ctx, target, resolve.ForExistence)
		if err != nil || found == nil {
			return fmt.Errorf("%s %q was not found (%v)", target.Role, target.Title, err)
		}
		b.book.took("element/"+app, us, time.Since(began))
		for _, p := range []struct{ request, who string }{{"find", "pyatspi"}, {"dogtail", "dogtail"}} {
			if err := b.peerRead(peer, p.request+" "+peerTarget, "element/"+app, p.who, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

func nodes(s *desktop.Snapshot) (count int) {
	var walk func(*desktop.Element)
	walk = func(e *desktop.Element) {
		count++
		for _, c := range e.Children {
			walk(c)
		}
	}
	for _, a := range s.Apps {
		walk(a.Root)
	}
	return count
}

// peerRead asks the peer and notes its answer.
func (b *bench) peerRead(p *talker, request, what, who, nodes string) error {
	line, err := p.ask(request)
	if err != nil {
		return err
	}
	var answer struct{ MS, Nodes float64 }
	if err := json.Unmarshal([]byte(line), &answer); err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	if answer.Nodes == 0 {
		return fmt.Errorf("%s found nothing: %s", who, request)
	}
	b.book.add(what, who, "ms", answer.MS)
	if nodes != "" {
		b.book.add(nodes, who, "nodes", answer.Nodes)
	}
	return nil
}

// talker is a process that answers each line with a line.
type talker struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
}

// talk starts a peer in the session.
func (r *rig) talk(script string, args ...string) (*talker, error) {
	c := r.command(r.bench.ctx, r.bench.peer(script), args...)
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	return &talker{c, in, bufio.NewScanner(out)}, nil
}

func (t *talker) say(line string) error {
	_, err := io.WriteString(t.in, line+"\n")
	return err
}

func (t *talker) hear() (string, error) {
	if !t.out.Scan() {
		return "", fmt.Errorf("%s said nothing (%v)", t.command.Path, t.out.Err())
	}
	return t.out.Text(), nil
}

func (t *talker) ask(line string) (string, error) {
	if err := t.say(line); err != nil {
		return "", err
	}
	return t.hear()
}

func (t *talker) end() {
	_ = t.in.Close()
	_ = t.command.Process.Kill()
	_ = t.command.Wait()
}
