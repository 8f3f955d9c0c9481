package wait_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/opendesk/opendesk/runner/wait"
)

func TestUntil(t *testing.T) {
	ctx := context.Background()
	t.Run("holds at once", func(t *testing.T) {
		held, r, err := wait.Until(ctx, nil, time.Hour, func(context.Context) (bool, error) { return true, nil })
		if !held || err != nil || r.Looks != 1 {
			t.Fatalf("held %v, looks %d, err %v", held, r.Looks, err)
		}
	})
	t.Run("a change wakes it", func(t *testing.T) {
		changes := make(chan struct{}, 1)
		looks := 0
		held, r, err := wait.Until(ctx, changes, time.Hour, func(context.Context) (bool, error) {
			looks++
			changes <- struct{}{}
			return looks == 20, nil
		})
		if !held || err != nil || r.Took > 20*wait.Floor/2 {
			t.Fatalf("held %v after %v, err %v", held, r.Took, err)
		}
	})
	t.Run("the floor looks without events", func(t *testing.T) {
		looks := 0
		held, _, err := wait.Until(ctx, nil, time.Hour, func(context.Context) (bool, error) {
			looks++
			return looks == 3, nil
		})
		if !held || err != nil {
			t.Fatalf("held %v, err %v", held, err)
		}
	})
	t.Run("the last look is not before the deadline", func(t *testing.T) {
		start := time.Now()
		var last time.Duration
		held, r, err := wait.Until(ctx, nil, 40*time.Millisecond, func(context.Context) (bool, error) {
			last = time.Since(start)
			return false, nil
		})
		if held || err != nil || last < 40*time.Millisecond || r.Looks != 2 {
			t.Fatalf("held %v, last look at %v of %d, err %v", held, last, r.Looks, err)
		}
	})
	t.Run("a timeout of nothing looks once", func(t *testing.T) {
		_, r, _ := wait.Until(ctx, nil, 0, func(context.Context) (bool, error) { return false, nil })
		if r.Looks != 1 {
			t.Fatalf("looks %d", r.Looks)
		}
	})
	t.Run("errors and the context end it", func(t *testing.T) {
		boom := errors.New("boom")
		if _, _, err := wait.Until(ctx, nil, time.Hour, func(context.Context) (bool, error) { return false, boom }); err != boom {
			t.Fatalf("err %v", err)
		}
		done, cancel := context.WithCancel(ctx)
		cancel()
		if _, _, err := wait.Until(done, nil, time.Hour, func(context.Context) (bool, error) { return false, nil }); !errors.Is(err, context.Canceled) {
			t.Fatalf("err %v", err)
		}
	})
}
