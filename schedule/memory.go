package schedule

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// memory is what the daemon remembers beyond its end: up to when what was due
// is settled, by the schedule's key.
type memory map[string]settled

// settled is up to when a schedule needs no run any more. It counts for this
// timing only.
type settled struct {
	Until  time.Time `json:"until"`
	Timing string    `json:"timing"`
}

func (s *Store) memoryFile() string { return filepath.Join(s.Dir, "settled.json") }

// remembered reads the memory. One that is not there or cannot be read is empty:
// nothing is made up for then.
func (s *Store) remembered() memory {
	m := memory{}
	data, err := os.ReadFile(s.memoryFile())
	if err != nil || json.Unmarshal(data, &m) != nil || m == nil {
		return memory{}
	}
	return m
}

// remember writes down that the schedule is settled.
func (s *Store) remember(key string, what settled) error {
	release, err := s.lock()
	if err != nil {
		return err
	}
	defer release()
	m := s.remembered()
	m[key] = what
	return s.writeMemory(m)
}

// forget takes the schedule out of the memory; the caller holds the lock.
func (s *Store) forget(key string) error {
	m := s.remembered()
	if _, known := m[key]; !known {
		return nil
	}
	delete(m, key)
	return s.writeMemory(m)
}

func (s *Store) writeMemory(m memory) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	err = replace(s.memoryFile(), append(data, '\n'))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the folder went away meanwhile: nothing is remembered
	}
	return err
}

// Next is when the schedule is due next, zero for an interval that nobody counts
// yet.
func (s *Store) Next(e *Entry) (time.Time, error) {
	when, err := e.When()
	if err != nil {
		return time.Time{}, err
	}
	zone, err := e.Zone()
	if err != nil || when.Interval == 0 {
		return when.Next(s.Now(), cmp.Or(zone, time.UTC)), err
	}
	m, known := s.remembered()[e.key()]
	if !known || m.Timing != e.timing() {
		return time.Time{}, nil
	}
	return when.Next(m.Until, zone), nil
}
