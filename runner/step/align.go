package step

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// What an alignment costs: that little is lost counts before all else, then
// that little was added, and that rather around the text than in it.
const (
	costAround  = 1
	costAdded   = 2
	costCase    = 3
	costLost    = 1 << 12
	costAltered = costLost
)

// Where the cheapest alignment of a cell comes from.
const (
	fromMatch byte = iota
	fromLost
	fromAdded
)

// surroundings are what was inserted into a field and what is around it.
type surroundings struct {
	runes      []rune
	begin, end int // of what was inserted
}

// align finds the typed text in what was inserted, and in what is around that
// if need be, so that as little as possible is lost or altered, and lists what
// is.
func align(typed []rune, in surroundings) []fault {
	near := in.runes
	width := len(near) + 1
	t, n := variants(typed, near)
	from := make([]byte, (len(typed)+1)*width)
	above := make([]int, width)
	row := make([]int, width)
	for j := range row {
		row[j] = costAround * max(0, j-in.begin)
	}
	// The best end: so many characters of the text, the others missing. Of
	// equal ones the first counts: what is missing may be on its way.
	best, bestI, bestJ := 1<<62, 0, 0
	ends := func(i int) {
		for j, cost := range row {
			if cost += costLost*(len(typed)-i) + costAround*max(0, in.end-j); cost < best {
				best, bestI, bestJ = cost, i, j
			}
		}
	}
	ends(0)
	for i := range typed {
		above, row = row, above
		at := (i + 1) * width
		row[0], from[at] = above[0]+costLost, fromLost
		for j := range near {
			cost, by := above[j]+t[i].cost(n[j]), fromMatch
			if lost := above[j+1] + costLost; lost < cost {
				cost, by = lost, fromLost
			}
			if added := row[j] + costAdded; added < cost {
				cost, by = added, fromAdded
			}
			row[j+1], from[at+j+1] = cost, by
		}
		ends(i + 1)
	}
	var faults []fault
	for i := len(typed); i > bestI; i-- {
		faults = append(faults, fault{at: i - 1, typed: typed[i-1]})
	}
	for i, j := bestI, bestJ; i > 0; {
		switch from[i*width+j] {
		case fromMatch:
			i, j = i-1, j-1
			if cost := t[i].cost(n[j]); cost != 0 {
				faults = append(faults, fault{at: i, typed: typed[i], got: near[j], soft: cost == costCase})
			}
		case fromLost:
			i--
			faults = append(faults, fault{at: i, typed: typed[i]})
		case fromAdded:
			j--
		}
	}
	slices.Reverse(faults)
	return faults
}

// variant numbers what a character is the same as: plain without typographic
// differences, small without the case as well.
type variant struct{ plain, small int }

// cost is what it costs that a field holds one character for the other.
func (v variant) cost(got variant) int {
	switch {
	case v.plain == got.plain:
		return 0
	case v.small == got.small:
		return costCase
	}
	return costAltered
}

func variants(texts ...[]rune) (typed, near []variant) {
	numbers := map[string]int{}
	number := func(s string) int {
		n, ok := numbers[s]
		if !ok {
			n = len(numbers)
			numbers[s] = n
		}
		return n
	}
	known := map[rune]variant{}
	lists := make([][]variant, 2)
	for i, text := range texts {
		for _, r := range text {
			v, ok := known[r]
			if !ok {
				plain := norm.NFKC.String(string(typographic(r)))
				v = variant{number(plain), number(strings.ToLower(strings.ToUpper(plain)))}
				known[r] = v
			}
			lists[i] = append(lists[i], v)
		}
	}
	return lists[0], lists[1]
}

// typographic is the plain character for one that editors put in its place.
func typographic(r rune) rune {
	switch r {
	case '“', '”', '„', '«', '»', '‟':
		return '"'
	case '‘', '’', '‚', '‛', '‹', '›':
		return '\''
	case '–', '—', '‐', '‑', '−':
		return '-'
	}
	return r
}
