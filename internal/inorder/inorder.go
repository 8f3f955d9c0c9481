// Package inorder makes many things on all cores and takes them in their order.
package inorder

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Chunks makes something of n items, at most size of them at a time on each core,
// and takes it in the order of the items. The first error of either ends it; a
// panic in produce is an error. No more is made ahead than there are cores.
func Chunks[T any](n, size int, produce func(from, to int) (T, error), take func(T) error) error {
	type made struct {
		value T
		err   error
	}
	begun := make(chan chan made, runtime.GOMAXPROCS(0))
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		defer close(begun)
		for from := 0; from < n; from += size {
			to := min(from+size, n)
			one := make(chan made, 1)
			select {
			case begun <- one:
			case <-stop:
				return
			}
			go func() {
				var m made
				defer func() {
					if r := recover(); r != nil {
						m.err = fmt.Errorf("internal fault: %v\n%s", r, debug.Stack())
					}
					one <- m
				}()
				m.value, m.err = produce(from, to)
			}()
		}
	}()
	for one := range begun {
		m := <-one
		if m.err != nil {
			return m.err
		}
		if err := take(m.value); err != nil {
			return err
		}
	}
	return nil
}
