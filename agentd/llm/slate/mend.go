package slate

import "fmt"

// dirty are places and rows that should be empty, and that a failing disk did not let be emptied.
type dirty struct{ places, rows []int }

var zeros [max(lineSize, callSize)]byte

// empty writes zeros over the i-th record of a table that begins at a place in the file.
func (s *Slate) empty(table, size, i int) error {
	if _, err := s.f.WriteAt(zeros[:size], int64(table+i*size)); err != nil {
		return fmt.Errorf("empty record: %w", err)
	}
	return nil
}

func (s *Slate) emptyAll(table, size int, all []int) error {
	for _, i := range all {
		if err := s.empty(table, size, i); err != nil {
			return err
		}
	}
	return nil
}

// mend tries again to empty what a failing disk did not let be emptied, so that it can be used again. While it fails it costs one
// write for each call that begins.
func (s *Slate) mend() {
	s.mu.Lock()
	torn := s.torn
	s.torn = dirty{}
	s.mu.Unlock()
	if len(torn.places)+len(torn.rows) == 0 {
		return
	}
	places := s.emptied(callsAt, callSize, torn.places)
	rows := 0
	if places == len(torn.places) {
		rows = s.emptied(headSize, lineSize, torn.rows)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, torn.places[:places]...)
	s.rows = append(s.rows, torn.rows[:rows]...)
	s.torn.places = append(s.torn.places, torn.places[places:]...)
	s.torn.rows = append(s.torn.rows, torn.rows[rows:]...)
}

// emptied empties one after the other until that fails, and says how many.
func (s *Slate) emptied(table, size int, all []int) int {
	for n, i := range all {
		if s.empty(table, size, i) != nil {
			return n // they are tried again
		}
	}
	return len(all)
}
