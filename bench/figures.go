//go:build linux

package main

import (
	"encoding/json"
	"os"
	"slices"
	"time"
)

// Report is bench/results.json.
type Report struct {
	// Commit is what was measured, Quick says that it was by few rounds.
	Commit string `json:"commit"`
	Quick  bool   `json:"quick,omitempty"`
	// Cores and Load tell of the machine: its processors, and the load average
	// of the last minute before the run.
	Cores int    `json:"cores"`
	Load  string `json:"load_before"`
	// TookS is how long the run took, in seconds.
	TookS   float64  `json:"took_s"`
	Figures []Figure `json:"figures"`
}

// Figure is what one contestant needed for one thing.
type Figure struct {
	// What is the thing ("flow/calc"), Who the contestant ("opendesk").
	What string `json:"what"`
	Who  string `json:"who"`
	// Unit is "ms" unless it says otherwise.
	Unit   string  `json:"unit"`
	N      int     `json:"n"`
	Min    float64 `json:"min"`
	P25    float64 `json:"p25"`
	Median float64 `json:"median"`
	P75    float64 `json:"p75"`
	Max    float64 `json:"max"`
	// Failed counts the tries that came to nothing, which are no values.
	Failed int `json:"failed,omitempty"`
}

type key struct{ what, who string }

// book collects values.
type book struct {
	order  []key
	units  map[key]string
	values map[key][]float64
	failed map[key]int
}

func newBook() *book {
	return &book{units: map[key]string{}, values: map[key][]float64{}, failed: map[key]int{}}
}

func (b *book) open(what, who, unit string) key {
	k := key{what, who}
	if _, ok := b.units[k]; !ok {
		b.order = append(b.order, k)
		b.units[k] = unit
	}
	return k
}

// add notes a value.
func (b *book) add(what, who, unit string, value float64) {
	k := b.open(what, who, unit)
	b.values[k] = append(b.values[k], value)
}

// took notes a time.
func (b *book) took(what, who string, d time.Duration) { b.add(what, who, "ms", milliseconds(d)) }

// fail notes a try that came to nothing.
func (b *book) fail(what, who string) { b.failed[b.open(what, who, "ms")]++ }

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (b *book) figures() []Figure {
	var figures []Figure
	for _, k := range b.order {
		f := Figure{What: k.what, Who: k.who, Unit: b.units[k], Failed: b.failed[k]}
		if v := slices.Sorted(slices.Values(b.values[k])); len(v) > 0 {
			f.N, f.Min, f.Max = len(v), v[0], v[len(v)-1]
			f.P25, f.Median, f.P75 = quantile(v, 0.25), quantile(v, 0.5), quantile(v, 0.75)
		}
		figures = append(figures, f)
	}
	return figures
}

// quantile is that of sorted values, between two of them where need be.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[low]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// figure is what one contestant needed for one thing, nil where there is none.
func (r *Report) figure(what, who string) *Figure {
	for i := range r.Figures {
		if f := &r.Figures[i]; f.What == what && f.Who == who && f.N > 0 {
			return f
		}
	}
	return nil
}

func readReport(path string) (*Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r Report
	return &r, json.Unmarshal(data, &r)
}

func (r *Report) write(path string) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
