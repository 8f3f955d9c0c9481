package inorder_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/internal/inorder"
)

func TestChunks(t *testing.T) {
	for _, n := range []int{0, 1, 4, 5, 1003} {
		var want, got []int
		for i := range n {
			want = append(want, i)
		}
		err := inorder.Chunks(n, 5, func(from, to int) ([]int, error) {
			if from%10 == 0 {
				time.Sleep(time.Microsecond) // those behind it are made sooner
			}
			var list []int
			for i := from; i < to; i++ {
				list = append(list, i)
			}
			return list, nil
		}, func(list []int) error {
			got = append(got, list...)
			return nil
		})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %v, %v", n, got, err)
		}
	}
}

func TestErrors(t *testing.T) {
	bad := errors.New("bad")
	take := func(int) error { return nil }
	for what, got := range map[string]error{
		"produce": inorder.Chunks(100, 1, func(from, _ int) (int, error) {
			if from == 7 {
				return 0, bad
			}
			return from, nil
		}, take),
		"take": inorder.Chunks(100, 1, func(from, _ int) (int, error) { return from, nil }, func(i int) error {
			if i == 7 {
				return bad
			}
			return nil
		}),
	} {
		if !errors.Is(got, bad) {
			t.Errorf("%s: %v", what, got)
		}
	}
	err := inorder.Chunks(3, 1, func(from, _ int) (int, error) { panic(fmt.Sprint("at ", from)) }, take)
	if err == nil || !strings.Contains(err.Error(), "internal fault: at 0") {
		t.Errorf("a panic: %v", err)
	}
}
