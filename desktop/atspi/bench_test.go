//go:build linux

package atspi

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gmeasure"

	"github.com/opendesk/opendesk/desktop"
)

// Run with: go test ./desktop/atspi -ginkgo.label-filter=benchmark -ginkgo.v
var _ = Describe("Speed", Serial, Label("benchmark"), func() {
	BeforeEach(func() {
		if GinkgoLabelFilter() == "" {
			Skip("only when asked for")
		}
	})

	for _, name := range []string{"mousepad", "gnome-calculator", "kcalc"} {
		It("of "+name, func(ctx context.Context) {
			s := openScreen()
			b := s.open(Options{})
			app, _ := s.run(b, name)
			experiment := gmeasure.NewExperiment(name)
			measure := func(what string, read func() error) {
				experiment.SampleDuration(what, func(int) {
					Expect(read()).To(Succeed())
				}, gmeasure.SamplingConfig{N: 30, Duration: 20 * time.Second})
			}
			measure("tree", func() error { _, err := b.Tree(ctx, app, 0); return err })
			measure("tree without cache", func() error { _, err := b.tree(ctx, app, 0, false); return err })
			measure("tree with identifiers", func() error { _, err := b.Tree(ctx, app, desktop.NeedIdentifier); return err })
			measure("tree with everything", func() error { _, err := b.Tree(ctx, app, everything); return err })
			measure("applications", func() error { _, err := b.Apps(ctx); return err })
			AddReportEntry(experiment.Name, experiment)
		})
	}
})
