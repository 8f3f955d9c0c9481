//go:build linux

package atspi

import (
	"context"
	"errors"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/godbus/dbus/v5"
)

var _ = Describe("A batch", func() {
	roles := func(a *fakeApp, path dbus.ObjectPath, n int) []*request {
		requests := make([]*request, n)
		for i := range requests {
			requests[i] = &request{dest: a.info().BusName, path: path, method: accessible + ".GetRole"}
		}
		return requests
	}

	It("may be larger than what is under way at a time, and each call gets its own answer", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		one, two := a.child(rootPath, "one", 1), a.child(rootPath, "two", 2)
		b := f.open(Options{})
		requests := append(roles(a, one.path, 3*window), roles(a, two.path, window+1)...)
		requests = append(requests, &request{dest: a.info().BusName, path: "/none", method: accessible + ".GetRole"},
			&request{dest: a.info().BusName, path: one.path, method: accessible + ".GetRole", args: []any{3.5}})
		Expect(batch(ctx, b.conn, b.timeout, requests)).To(Succeed())
		for i, q := range requests[:4*window+1] {
			Expect(q.err).NotTo(HaveOccurred())
			want := uint32(1)
			if i >= 3*window {
				want = 2
			}
			Expect(q.body).To(Equal([]any{want}))
		}
		Expect(mayBeGone(requests[4*window+1].err)).To(BeTrue())
		Expect(requests[4*window+2].err).To(MatchError(errMessage), "what cannot be sent costs nobody else anything")
	}, NodeTimeout(time.Minute))

	It("keeps what was answered before the silence, and what comes later disturbs nobody", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		quick, slow := a.child(rootPath, "quick", 1), a.child(rootPath, "slow", 2)
		b := f.open(Options{CallTimeout: 300 * time.Millisecond})
		slow.set(func() { slow.delay = 700 * time.Millisecond })
		requests := append(roles(a, quick.path, 2), roles(a, slow.path, 2)...)
		Expect(batch(ctx, b.conn, b.timeout, requests)).To(MatchError(errSilent))
		Expect(requests[0].body).To(Equal([]any{uint32(1)}))
		Expect(requests[0].err).NotTo(HaveOccurred())
		Expect(requests[3].err).To(MatchError(errSilent))

		limited, cancel := context.WithTimeoutCause(ctx, 20*time.Millisecond, errors.New("enough"))
		defer cancel()
		requests = roles(a, slow.path, 1)
		Expect(batch(limited, b.conn, b.timeout, requests)).To(MatchError("enough"))
		Expect(requests[0].err).To(MatchError("enough"))

		slow.set(func() { slow.delay = 0 })
		for range 20 { // while the late ones come
			requests = append(roles(a, quick.path, 10), roles(a, slow.path, 10)...)
			Expect(batch(ctx, b.conn, b.timeout, requests)).To(Succeed())
			Expect(requests[0].body).To(Equal([]any{uint32(1)}))
			Expect(requests[19].body).To(Equal([]any{uint32(2)}))
			<-time.After(50 * time.Millisecond)
		}
		w := wireOf(b.conn)
		w.mu.Lock()
		defer w.mu.Unlock()
		Expect(w.pending).To(BeEmpty())
	}, NodeTimeout(time.Minute))

	It("ends with the connection", func(ctx context.Context) {
		f := openFakeBus()
		a := f.app()
		slow := a.child(rootPath, "slow", 2)
		slow.set(func() { slow.delay = time.Minute })
		b := f.open(Options{CallTimeout: 30 * time.Second})
		ended := make(chan error, 1)
		requests := roles(a, slow.path, 3)
		go func() { ended <- batch(ctx, b.conn, b.timeout, requests) }()
		Consistently(ended).WithTimeout(100 * time.Millisecond).ShouldNot(Receive())
		Expect(b.Close()).To(Succeed())
		Eventually(ended).Should(Receive(MatchError(dbus.ErrClosed)))
		Expect(requests[2].err).To(MatchError(dbus.ErrClosed))
		Expect(batch(ctx, b.conn, b.timeout, roles(a, slow.path, 1))).To(MatchError(dbus.ErrClosed))
	}, NodeTimeout(time.Minute))
})
