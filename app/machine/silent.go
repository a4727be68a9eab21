package machine

import "time"

// How long a server has to be silent before it counts as one that cannot be asked.
const (
	silence   = 5 * time.Minute  // a link that broke comes back sooner
	comesBack = 15 * time.Minute // after its machine was started
	mostSince = 200              // acts that are looked through
)

// strikes are the acts after which a server says nothing for a while, or at all.
var strikes = map[Verb]bool{Off: true, Reset: true, RescueOn: true, RescueOff: true, Reinstall: true, Restore: true}

// silent says whether a server cannot be asked by itself: nothing stopped its machine here while it still answered. beat is when it was
// heard of last, zero: never. acts begin with the newest.
//
// Who stops a machine and then says that its server cannot be asked gets in with the owner's window alone, until the machine has
// run for a while and the server has not come back.
func silent(beat time.Time, acts []Act, now time.Time) error {
	if beat.IsZero() {
		return nil
	}
	if now.Sub(beat) < silence {
		return ErrWindow
	}
	var first, last *Act // of those that stopped or started the machine since it was heard of
	for i := range acts {
		a := &acts[i]
		if a.At.Before(beat.Add(-silence)) {
			break
		}
		if !strikes[a.Verb] && a.Verb != On {
			continue
		}
		if last == nil {
			last = a
		}
		if strikes[a.Verb] {
			first = a
		}
	}
	switch {
	case first == nil && len(acts) < mostSince:
		return nil // it fell silent by itself
	case first != nil && first.At.Sub(beat) > silence && len(acts) < mostSince:
		return nil // and was silent before anything was done
	case last != nil && started(*last) && now.Sub(last.EndedAt) >= comesBack:
		return nil // its machine was started, and it has not come back
	}
	return ErrStruck
}

// started says whether an act has had a machine run.
func started(a Act) bool {
	return (a.Verb == On || a.Verb == Reset) && a.State == Done && !a.EndedAt.IsZero()
}
