package schedule

import (
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// cronSpec is a cron expression. It is evaluated in UTC only: what a zone makes
// of its times is decided here.
type cronSpec struct {
	schedule cron.Schedule
	// everyHour says that it names no hours.
	everyHour bool
}

var cronParser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

var cronFields = [...]string{"minute", "hour", "day of the month", "month", "day of the week"}

// cronTiming reads five fields of cron.
func cronTiming(text string, fields []word) (Timing, error) {
	for i, f := range fields {
		if strings.ContainsAny(f.text, "=") { // the parser takes TZ=… for a zone
			return Timing{}, f.wrong("%q is no %s of cron", f.text, cronFields[i])
		}
		alone := []string{"*", "*", "*", "*", "*"}
		alone[i] = cronField(i, f.text)
		if _, err := cronParser.Parse(strings.Join(alone, " ")); err != nil {
			return Timing{}, f.wrong("%q is no %s of cron: %v (%s)", f.text, cronFields[i], err, examples)
		}
	}
	var texts, spelt []string
	for i, f := range fields {
		texts, spelt = append(texts, f.text), append(spelt, cronField(i, f.text))
	}
	parsed, err := cronParser.Parse(strings.Join(spelt, " "))
	if err != nil {
		return Timing{}, fields[0].wrong("%v", err)
	}
	spec := &cronSpec{schedule: parsed}
	if s, ok := parsed.(*cron.SpecSchedule); ok {
		const hours = 1<<24 - 1
		spec.everyHour = s.Hour&hours == hours
	}
	if spec.schedule.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Timing{}, fields[2].wrong("there is no such day in any year")
	}
	return Timing{Text: text, Cron: strings.Join(texts, " "), spec: spec}, nil
}

// cronField spells a field as the parser wants it: day 7 is Sunday as well.
func cronField(field int, text string) string {
	if field != len(cronFields)-1 {
		return text
	}
	items := strings.Split(text, ",")
	for i, item := range items {
		from, to, isRange := strings.Cut(item, "-")
		switch {
		case item == "7":
			items[i] = "0"
		case isRange && to == "7":
			if n, err := strconv.Atoi(from); err == nil && n >= 0 && n < 7 {
				items[i] = from + "-6,0"
			}
		}
	}
	return strings.Join(items, ",")
}

// next is the first time after that.
func (c *cronSpec) next(after time.Time) time.Time {
	if c.everyHour {
		return c.nextPassing(after)
	}
	zone := after.Location()
	for wall := c.schedule.Next(wallOf(after)); !wall.IsZero(); wall = c.schedule.Next(wall) {
		if at := instant(wall, zone); at.After(after) {
			return at
		}
	}
	return time.Time{}
}

// nextPassing goes through the stretches in which the clocks keep their
// distance from UTC.
func (c *cronSpec) nextPassing(after time.Time) time.Time {
	zone := after.Location()
	at, from := after, wallOf(after)
	for {
		wall := c.schedule.Next(from)
		if wall.IsZero() {
			return wall
		}
		_, offset := at.Zone()
		_, end := at.ZoneBounds()
		due := wall.Add(-time.Duration(offset) * time.Second).In(zone)
		if end.IsZero() || due.Before(end) {
			return due
		}
		at = end.In(zone)
		from = wallOf(at).Add(-time.Second) // the moment of the jump itself counts
	}
}

// wallOf is what the clocks show then, as a time in UTC.
func wallOf(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// instant is when the clocks of a zone show a time: the first time where they do
// so twice, and the moment of the jump where they never do.
func instant(wall time.Time, zone *time.Location) time.Time {
	const day = 24 * time.Hour // no zone changes its clocks twice within it
	_, before := wall.Add(-day).In(zone).Zone()
	_, later := wall.Add(day).In(zone).Zone()
	early := wall.Add(-time.Duration(max(before, later)) * time.Second).In(zone)
	late := wall.Add(-time.Duration(min(before, later)) * time.Second).In(zone)
	for _, at := range []time.Time{early, late} {
		if wallOf(at).Equal(wall) {
			return at
		}
	}
	_, jump := early.ZoneBounds()
	return jump
}
