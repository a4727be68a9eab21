package machine

import (
	"errors"
	"testing"
	"time"
)

// TestSilent: only a server that fell silent by itself, or stays silent after its machine was started, is entered without the
// owner's window.
func TestSilent(t *testing.T) {
	t.Parallel()
	beat := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	act := func(v Verb, minutes int) Act {
		at := beat.Add(time.Duration(minutes) * time.Minute)
		return Act{Verb: v, State: Done, At: at, EndedAt: at.Add(time.Minute)}
	}
	running, failed := act(On, 20), act(On, 20)
	running.State, running.EndedAt = Underway, time.Time{}
	failed.State = Failed
	for name, c := range map[string]struct {
		beat time.Time
		acts []Act // the newest first
		now  int   // minutes after the beat
		want error
	}{
		"never heard of":                          {time.Time{}, []Act{act(Off, 0)}, 1, nil},
		"a link that broke just now":              {beat, nil, 4, ErrWindow},
		"silent by itself":                        {beat, nil, 6, nil},
		"silent by itself, a snapshot since":      {beat, []Act{act(Take, 1)}, 9, nil},
		"switched off while it answered":          {beat, []Act{act(Off, 1)}, 60 * 24, ErrStruck},
		"switched off, heard of once more":        {beat, []Act{act(Off, -1)}, 60, ErrStruck},
		"long before it was heard of last":        {beat, []Act{act(On, -20), act(Off, -30)}, 10, nil},
		"reset a moment ago":                      {beat, []Act{act(Reset, 1)}, 10, ErrStruck},
		"reset, and it stays silent":              {beat, []Act{act(Reset, 1)}, 18, nil},
		"off, then on a moment ago":               {beat, []Act{act(On, 20), act(Off, 1)}, 30, ErrStruck},
		"off, then on, and it stays silent":       {beat, []Act{act(On, 20), act(Off, 1)}, 37, nil},
		"off, and on has not ended":               {beat, []Act{running, act(Off, 1)}, 60, ErrStruck},
		"off, and on has failed":                  {beat, []Act{failed, act(Off, 1)}, 60, ErrStruck},
		"off, on, off again":                      {beat, []Act{act(Off, 40), act(On, 20), act(Off, 1)}, 90, ErrStruck},
		"silent before it was switched off":       {beat, []Act{act(Off, 7)}, 10, nil},
		"silent, entered already, and once more":  {beat, []Act{act(RescueOn, 8), act(Off, 7)}, 20, nil},
		"rescue with a window, then without":      {beat, []Act{act(RescueOff, 30), act(RescueOn, 1)}, 60, ErrStruck},
		"more was done than anyone looks through": {beat, make([]Act, mostSince), 60, ErrStruck},
	} {
		for i := range c.acts {
			if c.acts[i].At.IsZero() {
				c.acts[i] = act(Drop, 10)
			}
		}
		err := silent(c.beat, c.acts, beat.Add(time.Duration(c.now)*time.Minute))
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
