//go:build linux

package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestIdle plays an hour of a session's life at no cost.
func TestIdle(t *testing.T) {
	const limit = 10 * time.Minute
	type visit struct {
		at, stay time.Duration
		worked   bool
	}
	for name, c := range map[string]struct {
		timeout time.Duration
		visits  []visit
		ends    time.Duration // 0 for never
	}{
		"nobody comes":           {timeout: limit, ends: limit},
		"no limit":               {ends: 0},
		"work puts it off":       {limit, []visit{{9 * time.Minute, time.Second, true}}, 19*time.Minute + time.Second},
		"looking does not":       {limit, []visit{{9 * time.Minute, time.Second, false}}, limit},
		"not while in it":        {limit, []visit{{time.Minute, 30 * time.Minute, true}}, 41 * time.Minute},
		"not while looked at":    {limit, []visit{{9 * time.Minute, 5 * time.Minute, false}}, 14 * time.Minute},
		"two, the longer counts": {limit, []visit{{time.Minute, 20 * time.Minute, false}, {2 * time.Minute, 15 * time.Minute, true}}, 27 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ended := make(chan time.Duration, 2)
				i := newIdle(c.timeout, func() { ended <- time.Since(start) })
				for _, v := range c.visits {
					go func() {
						time.Sleep(v.at)
						if !i.enter() {
							t.Error("nobody is let in")
						}
						time.Sleep(v.stay)
						i.leave(v.worked)
					}()
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				got := time.Duration(0)
				select {
				case got = <-ended:
				default:
				}
				if got != c.ends {
					t.Errorf("ended after %v, want %v", got, c.ends)
				}
				if len(ended) > 0 {
					t.Error("ended twice")
				}
				if i.enter() != (c.ends == 0) {
					t.Error("who comes after the end is let in")
				}
			})
		})
	}
}

func TestTakeTurn(t *testing.T) {
	dir := t.TempDir()
	n := &Named{Name: "desk", Info: Info{Spool: filepath.Join(dir, "spool")}}
	never := func() { t.Error("somebody else is said to be at work") }
	first, err := TakeTurn(t.Context(), n, never)
	if err != nil {
		t.Fatal(err)
	}
	waiting, second := make(chan struct{}), make(chan error, 1)
	go func() {
		release, err := TakeTurn(t.Context(), n, func() { close(waiting) })
		if err == nil {
			release()
		}
		second <- err
	}()
	<-waiting
	given := errors.New("given up")
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, err := TakeTurn(ctx, n, func() { cancel(given) }); !errors.Is(err, given) {
		t.Errorf("who gave up waiting got %v", err)
	}
	select {
	case err := <-second:
		t.Fatalf("two have a turn at once: %v", err)
	default:
	}
	first()
	if err := <-second; err != nil {
		t.Error(err)
	}
	third, err := TakeTurn(t.Context(), n, func() {}) // what came too late may be on its way
	if err != nil {
		t.Fatal(err)
	}
	third()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := TakeTurn(t.Context(), n, never); err == nil {
		t.Error("a session that has gone gives turns")
	}
}
