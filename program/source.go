package program

import (
	"fmt"
	"slices"
)

// words are what messages call a document.
type words struct {
	noun  string // what is read
	thing string // what it holds
	hint  string // what that should be
	alone string // that nothing else belongs there
	// unplaced documents are nothing that people can look into.
	unplaced bool
}

var (
	fileWords = words{noun: "file", thing: "program", hint: "a program is an object with steps", alone: "a file holds one program and nothing else"}
	stepWords = words{noun: "step", thing: "step", hint: "a step is an object with tool and params", alone: "give one step and nothing else"}
)

// chunk is the distance of the places at which a source counts its characters.
const chunk = 1024

// source turns byte offsets of a file into lines and columns. Columns count
// characters (Unicode code points), so it remembers how many there are before
// every chunk: a long file on one line costs no more than any other.
type source struct {
	file   string
	data   []byte
	words  words
	lines  []int // the offset at which each line begins
	before []int // how many characters begin before each chunk
}

func newSource(file string, data []byte) *source {
	s := &source{file: file, words: fileWords, data: data, lines: []int{bomLength(data)}}
	characters := 0
	for i, b := range data {
		if i%chunk == 0 {
			s.before = append(s.before, characters)
		}
		if beginsCharacter(b) {
			characters++
		}
		if b == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	if len(data)%chunk == 0 {
		s.before = append(s.before, characters)
	}
	return s
}

// position gives the line and column of a byte offset, both from 1. A
// byte-order mark is no part of the first line.
func (s *source) position(offset int) (line, column int) {
	offset = min(max(offset, s.lines[0]), len(s.data))
	i, exact := slices.BinarySearch(s.lines, offset)
	if !exact {
		i--
	}
	return i + 1, s.characters(offset) - s.characters(s.lines[i]) + 1
}

// offset gives the byte offset of a line and column, as position counts them.
func (s *source) offset(line, column int) int {
	line = min(max(line, 1), len(s.lines))
	at := s.lines[line-1]
	for column > 1 && at < len(s.data) && s.data[at] != '\n' {
		at++
		if at == len(s.data) || beginsCharacter(s.data[at]) {
			column--
		}
	}
	return at
}

// place names a byte offset inside of a message: "at 5:12".
func (s *source) place(offset int) string {
	if s.words.unplaced {
		return "before it"
	}
	line, column := s.position(offset)
	return fmt.Sprintf("at %d:%d", line, column)
}

// characters counts the characters that begin before the offset.
func (s *source) characters(offset int) int {
	at := offset / chunk
	n := s.before[at]
	for _, b := range s.data[at*chunk : offset] {
		if beginsCharacter(b) {
			n++
		}
	}
	return n
}

// beginsCharacter is false for the second and later bytes of a character.
func beginsCharacter(b byte) bool { return b&0xC0 != 0x80 }

// bomLength is the length of the UTF-8 byte-order mark that data begins with.
func bomLength(data []byte) int {
	if len(data) >= 3 && data[0] == 0xEF && data[1] == 0xBB && data[2] == 0xBF {
		return 3
	}
	return 0
}
