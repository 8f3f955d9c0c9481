package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// What the flag library says of a value that does not fit, and of flags that
// exclude each other: its own types are not to be had without importing it.
var (
	ofFlag    = regexp.MustCompile(`^invalid argument .* for "(?:-\w, )?(--[\w-]+)" flag: (?:time: .*duration (".*"))?`)
	exclusive = regexp.MustCompile(`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)
)

// flagError puts an error of the flag library into words for people.
func flagError(err error) error {
	if m := exclusive.FindStringSubmatch(err.Error()); m != nil {
		names := strings.Fields(m[1])
		for i := range names {
			names[i] = "--" + names[i]
		}
		return fmt.Errorf("give only one of %s", strings.Join(names, ", "))
	}
	m := ofFlag.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	var number *strconv.NumError
	switch {
	case m[2] != "":
		return fmt.Errorf("%s: %s is no duration: write 90s, 30m or 2h", m[1], m[2])
	case !errors.As(err, &number):
		return err
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s: %s is too large a number", m[1], number.Num)
	case number.Func == "ParseBool":
		return fmt.Errorf("%s: %q is neither true nor false", m[1], number.Num)
	case number.Func == "ParseFloat":
		return fmt.Errorf("%s: %q is no number", m[1], number.Num)
	}
	return fmt.Errorf("%s: %q is no whole number", m[1], number.Num)
}
