package results

// Pack moves what the run's programs consist of into a few large blocks. A run
// that was read is in pieces, three of four of which the collector of garbage
// looks at one by one, and its lists have room for more than is in them; of
// large runs that is felt.
func (r *Run) Pack() {
	var sizes struct{ attempts, steps, sessions, resolutions, postconditions int }
	for i := range r.Programs {
		for j := range r.Programs[i].Attempts {
			a := &r.Programs[i].Attempts[j]
			sizes.attempts++
			sizes.steps += len(a.Steps)
			if a.Session != nil {
				sizes.sessions++
			}
			for k := range a.Steps {
				if a.Steps[k].Resolution != nil {
					sizes.resolutions++
				}
				if a.Steps[k].Postcondition != nil {
					sizes.postconditions++
				}
			}
		}
	}
	attempts := make([]Attempt, 0, sizes.attempts)
	steps := make([]Step, 0, sizes.steps)
	sessions := make([]Session, 0, sizes.sessions)
	resolutions := make([]Resolution, 0, sizes.resolutions)
	postconditions := make([]PostconditionResult, 0, sizes.postconditions)
	for i := range r.Programs {
		p := &r.Programs[i]
		p.Attempts = packList(&attempts, p.Attempts)
		for j := range p.Attempts {
			a := &p.Attempts[j]
			a.Session = packOne(&sessions, a.Session)
			a.Steps = packList(&steps, a.Steps)
			for k := range a.Steps {
				s := &a.Steps[k]
				s.Resolution = packOne(&resolutions, s.Resolution)
				s.Postcondition = packOne(&postconditions, s.Postcondition)
			}
		}
	}
}

// packList moves a list to the end of the block.
func packList[T any](block *[]T, list []T) []T {
	if len(list) == 0 {
		return list
	}
	from := len(*block)
	*block = append(*block, list...)
	return (*block)[from:len(*block):len(*block)]
}

// packOne moves a value to the end of the block.
func packOne[T any](block *[]T, value *T) *T {
	if value == nil {
		return nil
	}
	*block = append(*block, *value)
	return &(*block)[len(*block)-1]
}
