package script

// Problem is a place in a script that Python cannot read.
type Problem struct {
	// Line and Column count from 1; 0 where that is not known.
	Line   int
	Column int
	// Message is Python's, without the place.
	Message string
}
