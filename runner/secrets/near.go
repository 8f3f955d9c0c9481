package secrets

import "unicode"

// nearly masks what differs from the value by few characters, white space and
// case left aside.
func (m mask) nearly(line string) string {
	value := plain([]rune(m.value))
	if len(value.letters) < shortest {
		return line
	}
	allowed := max(1, len(value.letters)/4)
	runes := []rune(line)
	text := plain(runes)
	at := func(from int) (n, distance int) {
		end := min(from+len(value.letters)+allowed, len(text.letters))
		return closest(value.letters, text.letters[from:end])
	}
	for from := 0; from+len(value.letters)-allowed <= len(text.letters); from++ {
		n, distance := at(from)
		if distance > allowed {
			continue
		}
		// It may begin a little later.
		for later := from + 1; later <= from+2*allowed && later < len(text.letters); later++ {
			if m, d := at(later); d < distance {
				from, n, distance = later, m, d
			}
		}
		first, last := text.at[from], text.at[from+n-1]
		return string(runes[:first]) + m.instead + m.nearly(string(runes[last+1:]))
	}
	return line
}

// letters are a text's characters without white space, in small letters, and
// where in the text they stand.
type letters struct {
	letters []rune
	at      []int
}

func plain(runes []rune) letters {
	var l letters
	for i, r := range runes {
		if !unicode.IsSpace(r) {
			l.letters = append(l.letters, unicode.ToLower(r))
			l.at = append(l.at, i)
		}
	}
	return l
}

// closest is the beginning of the text, as its length, that differs least from
// the value, and by how many edits; at least one character.
func closest(value, text []rune) (n, distance int) {
	row := make([]int, len(text)+1)
	for j := range row {
		row[j] = j
	}
	for i, v := range value {
		diagonal := row[0]
		row[0] = i + 1
		for j, t := range text {
			cost := diagonal
			if v != t {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	n = 1
	for j := 2; j < len(row); j++ {
		if row[j] <= row[n] {
			n = j
		}
	}
	return n, row[n]
}
