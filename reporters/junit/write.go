package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/opendesk/opendesk/internal/inorder"
	"github.com/opendesk/opendesk/results"
)

// report writes one report. Suites are made and encoded a few at a time, so
// that of a run of many programs little is in memory.
type report struct {
	run        *results.Run
	opts       Options
	classnames []string
	limits     limits
}

// cases is how many testcases there are at least.
func (r *report) cases() int {
	n := 0
	for i := range r.run.Programs {
		n++
		if final := r.run.Programs[i].Final(); final != nil {
			n += max(len(final.Steps)-1, 0)
		}
	}
	return n
}

// suite is the suite of the run's program of that place.
func (r *report) suite(i int) testsuite {
	c := cases{program: &r.run.Programs[i], classname: r.classnames[i], opts: r.opts, bare: r.limits.bare}
	ts := c.suite(r.run)
	ts.ID = i
	ts.bound(r.limits)
	return ts
}

var errTooLarge = errors.New("the report is too large")

// counter counts what is written, and refuses more than maxFile bytes.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	if *c > maxFile {
		return 0, errTooLarge
	}
	return len(p), nil
}

// fits says whether the report is small enough within its limits.
func (r *report) fits() (bool, error) {
	c := counter(atEnds)
	switch err := r.suites(&c); {
	case errors.Is(err, errTooLarge):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, nil
}

const endOfSuites = "</testsuites>"

// atEnds is more than the report has before and behind its suites, in bytes.
const atEnds = 8 << 10

// write writes the report.
func (r *report) write(w io.Writer) error {
	all := testsuites{Time: seconds(r.run.DurationMS)}
	all.Name = orElse(oneLine(r.run.Suite), "opendesk")
	err := inorder.Chunks(len(r.run.Programs), chunk, func(from, to int) (testsuites, error) {
		var some testsuites
		for i := from; i < to; i++ {
			c := cases{program: &r.run.Programs[i], counted: true}
			var ts testsuite
			ts.take(c.all())
			some.count(ts)
		}
		return some, nil
	}, func(some testsuites) error {
		all.Tests += some.Tests
		all.Errors += some.Errors
		all.Failures += some.Failures
		all.Skipped += some.Skipped
		return nil
	})
	if err != nil {
		return err
	}
	start, err := xml.Marshal(&all)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s%s", xml.Header, bytes.TrimSuffix(start, []byte(endOfSuites))); err != nil {
		return err
	}
	if err := r.suites(w); err != nil {
		return err
	}
	end := endOfSuites + "\n"
	if len(r.run.Programs) > 0 {
		end = "\n" + end
	}
	_, err = io.WriteString(w, end)
	return err
}

// suites writes the suites.
func (r *report) suites(w io.Writer) error {
	return inorder.Chunks(len(r.run.Programs), chunk, r.encode, func(e *encoder) error {
		if _, err := e.text.WriteTo(w); err != nil {
			return err // with what was not written in it, it is not used again
		}
		encoders.Put(e)
		return nil
	})
}

// encoder encodes suites, each on lines of its own, into a text.
type encoder struct {
	text bytes.Buffer
	xml  *xml.Encoder
}

// encoders are those that can be used again: what they have allocated is most
// of what a report of many programs takes.
var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.xml = xml.NewEncoder(&e.text)
	e.xml.Indent("  ", "  ")
	e.text.WriteByte('\n') // the XML encoder begins all elements but the first on a new line
	return e
}}

// encode encodes the suites of these programs.
func (r *report) encode(from, to int) (*encoder, error) {
	e := encoders.Get().(*encoder)
	for i := from; i < to; i++ {
		if err := e.xml.Encode(r.suite(i)); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// chunk is how many programs one goroutine makes the suites of at a time.
const chunk = 256
