package schedule

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestParseTiming(t *testing.T) {
	for text, want := range map[string]string{
		"every 30m": "30m0s", "every 2h": "2h0m0s", "every 1d": "24h0m0s", "EVERY 90s": "1m30s", "every 5 minutes": "5m0s",
		"1800": "30m0s", "  every   2h ": "2h0m0s", "every 366d": "8784h0m0s", "every 1s": "1s",
		"every day at 09:00": "0 9 * * *", "every day 9am": "0 9 * * *", "every day": "0 0 * * *", "every day at 9:05 pm": "5 21 * * *",
		"every day at 12am": "0 0 * * *", "every day at 12pm": "0 12 * * *", "every day at 12:30am": "30 0 * * *",
		"every monday at 09:00": "0 9 * * 1", "every Tuesday at 09:00": "0 9 * * 2", "every sunday 7am": "0 7 * * 0",
		"every friday at 17:00": "0 17 * * 5", "every friday 5pm": "0 17 * * 5", "every sat at 0:59": "59 0 * * 6",
		"0 17 * * 5": "0 17 * * 5", "*/15 9-17 * jan-mar mon-fri": "*/15 9-17 * jan-mar mon-fri", "0 0 29 2 *": "0 0 29 2 *",
	} {
		got, err := ParseTiming(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if said := got.Cron; said != want && (got.Interval == 0 || got.Interval.String() != want) {
			t.Errorf("%q: %q %v, want %q", text, got.Cron, got.Interval, want)
		}
	}
}

func TestParseTimingSaysWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "timing:1: the timing is empty",
		"tomorrow":               `timing:1: "tomorrow" is no timing`,
		"every":                  `timing:1: "every" what?`,
		"every blue moon":        `timing:7: "blue" is no interval and no day`,
		"every 30":               "timing:7: 30 what?",
		"every 30 parsecs":       `timing:7: "parsecs" is no unit of time`,
		"every 0m":               "timing:7: the interval is shorter than a second",
		"0":                      "timing:1: the interval is shorter than a second",
		"every 367d":             "timing:7: the interval is longer than 366 days",
		"99999999999999999999":   "timing:1: the interval is longer",
		"every 2h daily":         `timing:10: "daily" comes after an interval`,
		"every day at":           `timing:11: "at" what time?`,
		"every day at 25:00":     `timing:14: "25:00" is no time of day`,
		"every day at 13pm":      `timing:14: "13pm" is no time of day`,
		"every day at 9:60":      `timing:14: "9:60" is no time of day`,
		"every żółw at 9":        `timing:7: "żółw" is no interval`,
		"every friday 17":        `timing:14: "17" is no time of day: write`,
		"every friday 5pm sharp": `timing:18: "sharp" comes after`,
		"60 * * * *":             `timing:1: "60" is no minute of cron`,
		"0 24 * * *":             `timing:3: "24" is no hour of cron`,
		"0 0 0 * *":              `timing:5: "0" is no day of the month of cron`,
		"0 0 * * 8":              `timing:9: "8" is no day of the week of cron`,
		"TZ=UTC 0 0 * *":         `timing:1: "tz=utc" is no minute`,
		"0 0 31 2 *":             "timing:5: there is no such day",
		"0 0 * *":                `is no timing`,
		"@daily":                 `is no timing`,
	} {
		_, err := ParseTiming(text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestSundays: both numbers of cron for Sunday are Sunday, and 1 is Monday.
func TestSundays(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // a Thursday
	for text, want := range map[string]string{
		"0 9 * * 0": "Sun", "0 9 * * 7": "Sun", "0 9 * * 1": "Mon", "0 9 * * 6-7": "Sat", "every monday at 09:00": "Mon",
	} {
		when, err := ParseTiming(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if got := when.Next(at, time.UTC).Format("Mon"); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
	when, err := ParseTiming("0 9 * * 6-7")
	if err != nil {
		t.Fatal(err)
	}
	if next := when.Next(time.Date(2026, 1, 3, 9, 0, 0, 0, time.UTC), time.UTC); next.Format("Mon 02 15:04") != "Sun 04 09:00" {
		t.Error(next)
	}
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Skip(err)
	}
	return z
}

// TestClocksThatJump: what is due when clocks are put forward and back.
func TestClocksThatJump(t *testing.T) {
	for _, row := range []struct{ name, zone, timing, from, to, want string }{
		{"skipped", "Europe/Berlin", "every day at 02:30", "2026-03-28T12:00", "2026-03-30T12:00", "29 03:00+0200, 30 02:30+0200"},
		{"skipped, beside one that is there", "Europe/Berlin", "0 2,3 * * *", "2026-03-28T12:00", "2026-03-29T12:00", "29 03:00+0200"},
		{"repeated", "Europe/Berlin", "every day at 02:30", "2026-10-24T12:00", "2026-10-26T12:00", "25 02:30+0200, 26 02:30+0100"},
		{"every hour, forward", "Europe/Berlin", "0 * * * *", "2026-03-29T00:30", "2026-03-29T05:30", "29 01:00+0100, 29 03:00+0200, 29 04:00+0200, 29 05:00+0200"},
		{"every hour, back", "Europe/Berlin", "30 * * * *", "2026-10-25T01:00", "2026-10-25T04:00", "25 01:30+0200, 25 02:30+0200, 25 02:30+0100, 25 03:30+0100"},
		{"New York skipped", "America/New_York", "every sunday at 2am", "2026-03-07T12:00", "2026-03-09T12:00", "08 03:00-0400"},
		{"New York repeated", "America/New_York", "every sunday 1:15am", "2026-10-31T12:00", "2026-11-02T12:00", "01 01:15-0400"},
		{"midnight skipped", "America/Santiago", "every day", "2026-09-05T12:00", "2026-09-07T12:00", "06 01:00-0300, 07 00:00-0300"},
		{"half an hour", "Australia/Lord_Howe", "every day at 02:15", "2026-10-03T12:00", "2026-10-05T12:00", "04 02:30+1100, 05 02:15+1100"},
	} {
		t.Run(row.name, func(t *testing.T) {
			z := zone(t, row.zone)
			when, err := ParseTiming(row.timing)
			if err != nil {
				t.Fatal(err)
			}
			at, err := time.ParseInLocation("2006-01-02T15:04", row.from, z)
			if err != nil {
				t.Fatal(err)
			}
			to, err := time.ParseInLocation("2006-01-02T15:04", row.to, z)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for at = when.Next(at, z); at.Before(to); at = when.Next(at, z) {
				got = append(got, at.Format("02 15:04-0700"))
			}
			if said := strings.Join(got, ", "); said != row.want {
				t.Errorf("%s, want %s", said, row.want)
			}
		})
	}
}

// expected goes through every minute of the time and says when each of yearly is
// due by what the clocks show then; it knows nothing of cron.
func expected(from, to time.Time) [][]time.Time { return expectedOf(from, to, yearly...) }

func expectedOf(from, to time.Time, yearly ...rule) [][]time.Time {
	lists := make([][]time.Time, len(yearly))
	last := wallOf(from.Add(-time.Minute)) // what the clocks showed
	most := last                           // the latest that they ever showed
	for at := from; at.Before(to); at = at.Add(time.Minute) {
		wall := wallOf(at)
		for i, y := range yearly {
			isDue := y.due(wall) && (y.everyHour || wall.After(most))
			for skipped := last.Add(time.Minute); !y.everyHour && skipped.Before(wall); skipped = skipped.Add(time.Minute) {
				isDue = isDue || y.due(skipped)
			}
			if isDue {
				lists[i] = append(lists[i], at)
			}
		}
		last = wall
		if wall.After(most) {
			most = wall
		}
	}
	return lists
}

// rule is a timing, and what it means.
type rule struct {
	timing    string
	due       func(wall time.Time) bool
	everyHour bool
}

var yearly = []rule{
	{"every day at 02:30", func(w time.Time) bool { return w.Hour() == 2 && w.Minute() == 30 }, false},
	{"every monday at 09:00", func(w time.Time) bool { return w.Weekday() == time.Monday && w.Hour() == 9 && w.Minute() == 0 }, false},
	{"every sunday 1:15am", func(w time.Time) bool { return w.Weekday() == time.Sunday && w.Hour() == 1 && w.Minute() == 15 }, false},
	{"*/20 * * * *", func(w time.Time) bool { return w.Minute()%20 == 0 }, true},
	{"0 0 1,15 * *", func(w time.Time) bool {
		return (w.Day() == 1 || w.Day() == 15) && w.Hour() == 0 && w.Minute() == 0
	}, false},
	{"*/10 1-3 * * 0,6", func(w time.Time) bool {
		return (w.Weekday() == 0 || w.Weekday() == 6) && w.Hour() >= 1 && w.Hour() <= 3 && w.Minute()%10 == 0
	}, false},
}

// TestFourHundredDays: over 400 days everything is due exactly when a search
// through every minute says so.
func TestFourHundredDays(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "America/Santiago", "Australia/Lord_Howe"} {
		z := zone(t, name)
		from := time.Date(2026, 1, 15, 12, 1, 0, 0, z)
		to := from.AddDate(0, 0, 400)
		all := expected(from, to)
		for i, y := range yearly {
			when, err := ParseTiming(y.timing)
			if err != nil {
				t.Fatal(err)
			}
			want := all[i]
			at := from.Add(-time.Second)
			for i, w := range want {
				if at = when.Next(at, z); !at.Equal(w) {
					t.Errorf("%s, %q, number %d: %v, want %v", name, y.timing, i, at, w)
					break
				}
			}
			if at = when.Next(at, z); at.Before(to) {
				t.Errorf("%s, %q: one too many: %v", name, y.timing, at)
			}
			if len(want) < 26 {
				t.Errorf("%s, %q: only %d", name, y.timing, len(want))
			}
		}
	}
}

// FuzzTiming: whatever is read is due later than now, again and again, and says
// the same when it is read from its cron.
func FuzzTiming(f *testing.F) {
	for _, text := range []string{
		"every 30m", "every day at 09:00", "every friday 5pm", "0 17 * * 5", "1800", "*/7 1-23/2 1,31 feb sun",
		"0 0 29 2 1-7", "TZ=UTC 0 0 * *", "every", "60 24 32 13 8", "0 0 * * 7,0-3/2",
	} {
		f.Add(text, int64(1_770_000_000))
	}
	berlin := zone(f, "Europe/Berlin")
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		when, err := ParseTiming(text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Column < 1 || syntax.Column > len([]rune(text))+1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if (when.Interval > 0) == (when.Cron != "") {
			t.Fatalf("%q: %+v", text, when)
		}
		at := time.Unix(seconds%4_000_000_000, 0)
		for range 3 {
			next := when.Next(at, berlin)
			if next.IsZero() {
				return
			}
			if !next.After(at) {
				t.Fatalf("%q: %v after %v", text, next, at)
			}
			if when.Cron != "" {
				again, err := ParseTiming(when.Cron)
				if err != nil || !again.Next(at, berlin).Equal(next) {
					t.Fatalf("%q: cron %q: %v", text, when.Cron, err)
				}
			}
			at = next
		}
	})
}
