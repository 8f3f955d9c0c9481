package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// bringUp starts the parts of the session, independent ones side by side:
//
//	Xvfb ─┬─ identity, openbox
//	      └───────────┐
//	session bus ── accessibility bus ── registry
//
// The first part to fail stops the others; its error is a *StartError.
func (h *host) bringUp(ctx context.Context) error {
	ctx, cancel := context.WithDeadline(ctx, h.setup.Deadline)
	defer cancel()
	if err := h.takeDisplay(); err != nil {
		return err
	}
	displayReady := make(chan struct{})
	var group sync.WaitGroup
	var errs [2]error
	group.Go(func() {
		if errs[0] = h.startDisplay(ctx, displayReady); errs[0] != nil {
			cancel()
		}
	})
	group.Go(func() {
		if errs[1] = h.startBuses(ctx, displayReady); errs[1] != nil {
			cancel()
		}
	})
	group.Wait()
	return firstCause(errs[:])
}

// firstCause picks the error that the others follow from: not one that only
// says that its work was called off, and of several parts that did not get
// ready in time the one that had the longest.
func firstCause(errs []error) error {
	var first error
	var longest time.Duration
	for _, err := range errs {
		if err == nil || errors.Is(err, context.Canceled) {
			continue
		}
		var waited time.Duration
		var se *StartError
		if errors.As(err, &se) {
			waited = se.waited
		}
		if first == nil || waited > longest {
			first, longest = err, waited
		}
	}
	if first == nil {
		return errors.Join(errs...)
	}
	return first
}

// takeDisplay chooses the display's number and completes the environment.
func (h *host) takeDisplay() error {
	r, err := reserveDisplay(h.setup.FirstDisplay, h.info.Dir)
	if err != nil {
		return &StartError{Part: PartXvfb, Reason: "reserve a display number: " + err.Error()}
	}
	h.display = r
	h.info.Display = ":" + strconv.Itoa(r.number)
	return h.addEnvironment("DISPLAY=" + h.info.Display)
}

// addEnvironment adds to what applications, workers and the host itself see.
func (h *host) addEnvironment(pair string) error {
	h.info.Env = mergeEnvironment(h.info.Env, []string{pair})
	name, value, _ := strings.Cut(pair, "=")
	return os.Setenv(name, value)
}

// startDisplay starts the X server, marks its display and starts the window
// manager on it.
func (h *host) startDisplay(ctx context.Context, ready chan<- struct{}) error {
	if err := h.startXvfb(ctx); err != nil {
		return err
	}
	close(ready)
	return h.startWindowManager(ctx)
}

// startBuses starts the session bus, the accessibility bus and the registry.
// Only the last of these needs the display.
func (h *host) startBuses(ctx context.Context, displayReady <-chan struct{}) error {
	if err := h.startSessionBus(ctx); err != nil {
		return err
	}
	if err := h.startA11yBus(ctx); err != nil {
		return err
	}
	select {
	case <-displayReady:
	case <-ctx.Done():
		return context.Canceled // the display's error is the cause
	}
	if err := h.announceA11yBus(ctx); err != nil {
		return h.unanswered(ctx, h.parts.xvfb, "announce the accessibility bus", err)
	}
	return h.startRegistry(ctx)
}

// startXvfb starts the X server and waits until it has written its number to
// the descriptor that it was given.
func (h *host) startXvfb(ctx context.Context) error {
	answer, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }()
	h.parts.xvfb, err = h.startPart(PartXvfb, []string{"Xvfb"}, []string{
		h.info.Display, "-displayfd", "3", "-screen", "0", h.info.Geometry,
		// No socket but the one in /tmp, which a sandbox makes private.
		"-nolisten", "tcp", "-nolisten", "local",
		"-auth", xauthorityOf(h.info.Dir),
		"-noreset", "-dpi", "96", "-s", "0", "-dpms",
	}, write)
	_ = write.Close()
	if err != nil {
		return err
	}
	number, err := h.firstLine(ctx, h.parts.xvfb, answer)
	if err != nil {
		return err
	}
	if ":"+number != h.info.Display {
		return h.partError(h.parts.xvfb, fmt.Sprintf("serves display %q instead of %q", ":"+number, h.info.Display))
	}
	return nil
}

// startPart starts the first of the given programs that there is.
func (h *host) startPart(part string, programs, args []string, extra ...*os.File) (*child, error) {
	var path string
	for _, program := range programs {
		if found, err := exec.LookPath(program); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, &StartError{Part: part, Reason: programs[0] + " is not installed", Hint: installHints[part]}
	}
	ch, err := h.kids.start(command{name: part, path: path, args: args, env: h.partEnvironment(), dir: h.info.Home, extra: extra})
	if err != nil {
		return nil, &StartError{Part: part, Reason: err.Error(), Hint: installHints[part]}
	}
	return ch, nil
}

// partEnvironment is the environment of the parts themselves: they must not
// load the modules that applications get.
func (h *host) partEnvironment() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return withoutVariable(h.info.Env, "GTK_MODULES")
}

// partError is the error of a part that runs and does not do its work.
func (h *host) partError(ch *child, reason string) *StartError {
	return &StartError{Part: ch.name, Reason: reason, Output: ch.lastOutput()}
}

// unanswered is the error of a part that failed while something was asked of
// it; context.Canceled where that was called off because of another part.
func (h *host) unanswered(ctx context.Context, ch *child, what string, err error) error {
	ready := make(chan error, 1)
	if ctx.Err() == nil {
		ready <- fmt.Errorf("%s: %w", what, err)
	}
	return h.await(ctx, ch, ready)
}

// await waits for a part's readiness. The error says whether the part ended,
// did not answer in time, or was called off (context.Canceled).
func (h *host) await(ctx context.Context, ch *child, ready <-chan error) error {
	select {
	case err := <-ready:
		if err == nil {
			return nil
		}
		// An end shows as a failure before it shows as an end.
		select {
		case <-ch.done:
			return h.partError(ch, "ended at once: "+ch.how())
		case <-time.After(200 * time.Millisecond):
			return h.partError(ch, err.Error())
		}
	case <-ch.done:
		return h.partError(ch, "ended at once: "+ch.how())
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			return context.Canceled
		}
		late := h.partError(ch, "did not get ready in time")
		late.waited = time.Since(ch.started)
		return late
	}
}

// firstLine waits for a part's first line on a pipe.
func (h *host) firstLine(ctx context.Context, ch *child, from *os.File) (string, error) {
	var line string
	ready := make(chan error, 1)
	go func() {
		buf := make([]byte, 4096)
		n := 0
		for {
			k, err := from.Read(buf[n:])
			n += k
			if text, _, found := strings.Cut(string(buf[:n]), "\n"); found {
				line = strings.TrimSpace(text)
				ready <- nil
				return
			}
			if err != nil || n == len(buf) {
				ready <- errors.New("closed the pipe that it was to answer on")
				return
			}
		}
	}()
	if err := h.await(ctx, ch, ready); err != nil {
		return "", err
	}
	return line, nil
}
