package schedule

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of an interval.
const (
	minInterval = time.Second
	maxInterval = 366 * 24 * time.Hour
)

// Timing says when a task is due. Exactly one of Interval and Cron is set.
type Timing struct {
	// Text is what it was read from.
	Text string
	// Interval is the time between two runs, whole seconds; 0 for times of day.
	Interval time.Duration
	// Cron are the five fields of cron, "" for an interval.
	Cron string

	spec *cronSpec
}

// SyntaxError says what in a timing cannot be read.
type SyntaxError struct {
	// Column is where, in characters from 1.
	Column  int
	Message string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("timing:%d: %s", e.Column, e.Message) }

// examples are shown where nothing of a timing is understood.
const examples = `write "every 30m", "every 2h", "every 1d", "every day at 09:00", "every friday at 17:00", five fields of cron ("0 17 * * 5"), or a number of seconds`

// word is one word of a timing, in lower case.
type word struct {
	text   string
	column int
}

func words(text string) []word {
	var list []word
	start := -1
	end := func(to int) {
		if start >= 0 {
			list = append(list, word{strings.ToLower(text[start:to]), utf8.RuneCountInString(text[:start]) + 1})
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unicode.IsSpace(r):
			end(i)
		case start < 0:
			start = i
		}
	}
	end(len(text))
	return list
}

func (w word) wrong(format string, args ...any) error {
	return &SyntaxError{w.column, fmt.Sprintf(format, args...)}
}

// ParseTiming reads a timing:
//
//	every 30m | every 2h | every 1d | every 90s    an interval
//	1800                                           an interval in seconds
//	every day at 09:00 | every day 9am             each day
//	every friday at 17:00 | every friday 5:30pm    each week
//	0 17 * * 5                                     five fields of cron
//
// A day without a time is due at midnight. The error is a *SyntaxError.
func ParseTiming(text string) (Timing, error) {
	list := words(text)
	switch {
	case len(list) == 0:
		return Timing{}, &SyntaxError{1, "the timing is empty: " + examples}
	case list[0].text == "every":
		return parseEvery(text, list)
	case len(list) == 1 && isDigits(list[0].text):
		return interval(text, list[0], list[0].text, "s")
	case len(list) == 5:
		return cronTiming(text, list)
	}
	return Timing{}, list[0].wrong("%q is no timing: %s", strings.TrimSpace(text), examples)
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

var units = map[string]time.Duration{
	"s": time.Second, "sec": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "days": 24 * time.Hour,
}

var weekdays = map[string]time.Weekday{
	"sunday": time.Sunday, "monday": time.Monday, "tuesday": time.Tuesday, "wednesday": time.Wednesday,
	"thursday": time.Thursday, "friday": time.Friday, "saturday": time.Saturday,
	"sun": time.Sunday, "mon": time.Monday, "tue": time.Tuesday, "wed": time.Wednesday,
	"thu": time.Thursday, "fri": time.Friday, "sat": time.Saturday,
}

// parseEvery reads what begins with "every".
func parseEvery(text string, list []word) (Timing, error) {
	if len(list) == 1 {
		return Timing{}, list[0].wrong(`"every" what? %s`, examples)
	}
	what, rest := list[1], list[2:]
	if day, isWeekday := weekdays[what.text]; isWeekday || what.text == "day" {
		field := "*"
		if isWeekday {
			field = strconv.Itoa(int(day)) // cron's days begin with Sunday, as Go's
		}
		hour, minute, err := timeOfDay(rest)
		if err != nil {
			return Timing{}, err
		}
		return cronTiming(text, words(fmt.Sprintf("%d %d * * %s", minute, hour, field)))
	}
	number := what.text[:len(what.text)-len(strings.TrimLeft(what.text, "0123456789"))]
	unit := what.text[len(number):]
	if number == "" {
		return Timing{}, what.wrong("%q is no interval and no day: %s", what.text, examples)
	}
	if unit == "" && len(rest) > 0 {
		unit, rest = rest[0].text, rest[1:]
	}
	if len(rest) > 0 {
		return Timing{}, rest[0].wrong("%q comes after an interval: nothing else may", rest[0].text)
	}
	return interval(text, what, number, unit)
}

func interval(text string, at word, number, unit string) (Timing, error) {
	size, known := units[unit]
	if !known {
		if unit == "" {
			return Timing{}, at.wrong("%s what? Write %ss, %sm, %sh or %sd", number, number, number, number, number)
		}
		return Timing{}, at.wrong("%q is no unit of time: write s, m, h or d", unit)
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n > int64(math.MaxInt64/size) || time.Duration(n)*size > maxInterval {
		return Timing{}, at.wrong("the interval is longer than 366 days")
	}
	every := time.Duration(n) * size
	if every < minInterval {
		return Timing{}, at.wrong("the interval is shorter than a second")
	}
	return Timing{Text: text, Interval: every}, nil
}

var clock = regexp.MustCompile(`^(\d{1,2})(?::(\d{2}))?(am|pm)?$`)

// timeOfDay reads "at 17:00", "5pm", "5:30 pm", or nothing for midnight.
func timeOfDay(list []word) (hour, minute int, err error) {
	if len(list) == 0 {
		return 0, 0, nil
	}
	if list[0].text == "at" {
		if len(list) == 1 {
			return 0, 0, list[0].wrong(`"at" what time? Write 09:00 or 5pm`)
		}
		list = list[1:]
	}
	at := list[0]
	said, rest := at.text, list[1:]
	if len(rest) > 0 && (rest[0].text == "am" || rest[0].text == "pm") {
		said, rest = said+rest[0].text, rest[1:]
	}
	if len(rest) > 0 {
		return 0, 0, rest[0].wrong("%q comes after the time of day: nothing else may", rest[0].text)
	}
	m := clock.FindStringSubmatch(said)
	if m == nil || m[2] == "" && m[3] == "" {
		return 0, 0, at.wrong("%q is no time of day: write 09:00 or 5pm", said)
	}
	hour, _ = strconv.Atoi(m[1])
	minute, _ = strconv.Atoi("0" + m[2])
	switch {
	case minute > 59, m[3] == "" && hour > 23, m[3] != "" && (hour < 1 || hour > 12):
		return 0, 0, at.wrong("%q is no time of day: from 00:00 to 23:59, or from 12am to 11:59pm", said)
	case m[3] == "am" && hour == 12:
		hour = 0
	case m[3] == "pm" && hour != 12:
		hour += 12
	}
	return hour, minute, nil
}

// Next is the first time after that at which the task is due, in the zone.
// Intervals are counted from after on.
//
// A time of day that the clocks skip is due at the moment of the jump; one that
// occurs twice is due the first time only. Where the hour is any ("*/15 * * * *")
// the time that passes counts instead: nothing is due in an hour that is
// skipped, and both of an hour that is repeated count.
func (t Timing) Next(after time.Time, zone *time.Location) time.Time {
	if t.Interval > 0 {
		return after.Add(t.Interval)
	}
	return t.spec.next(after.In(zone))
}
