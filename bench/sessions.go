//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/opendesk/opendesk/desktop/session"
)

// sessions measures how long it takes to start a session, to see that one that
// has waited is fit, which is all that stands between asking for it and having
// it, and to end one.
func (b *bench) sessions() error {
	for range b.rounds * 2 {
		for _, isolation := range []session.Isolation{session.None, session.Bwrap} {
			if err := b.session(isolation); err != nil {
				b.logf("session, %s: %v", isolation, err)
				b.book.fail("session/cold", string(isolation))
			}
			if b.ctx.Err() != nil {
				return b.ctx.Err()
			}
		}
	}
	return nil
}

func (b *bench) session(isolation session.Isolation) error {
	began := time.Now()
	s, err := session.Start(b.ctx, session.Options{
		Isolation: isolation, Executable: b.opendesk, HostArgs: []string{"session-host"}, TempDir: b.temp,
	})
	if err != nil {
		return err
	}
	b.book.took("session/cold", string(isolation), time.Since(began))
	for range 3 {
		began = time.Now()
		health, err := s.Probe(b.ctx)
		if err != nil || health.FirstFault() != nil {
			return fmt.Errorf("the session does not answer: %v %v", health.FirstFault(), err)
		}
		b.book.took("session/warm", string(isolation), time.Since(began))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), 20*time.Second)
	defer cancel()
	began = time.Now()
	if err := s.Close(ctx); err != nil {
		return err
	}
	b.book.took("session/end", string(isolation), time.Since(began))
	return nil
}
