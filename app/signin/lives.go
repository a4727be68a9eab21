package signin

import (
	"time"

	"gatehouse/app/tune"
)

// Lives is how long sign-ins live, as far as our staff have made that shorter. The zero value has everything as it comes.
type Lives struct {
	Customer tune.Value[time.Duration]
	Staff    tune.Value[time.Duration]
	Idle     tune.Value[time.Duration] // of our staff
	Pending  tune.Value[time.Duration] // between the password and the second step
}

// of is the absolute life of a kind. It is never longer than it comes.
func (l Lives) of(k Kind) time.Duration {
	usual := lifeOf(k)
	switch k {
	case Staff:
		return min(usual, l.Staff.Or(usual))
	case Pending, CustomerPending:
		return min(usual, l.Pending.Or(usual))
	default:
		return min(usual, l.Customer.Or(usual))
	}
}

// over says whether a sign-in that is live as it comes is over by now: one that was opened before its life was made shorter, too.
func (l Lives) over(s Signin, now time.Time) bool {
	return !now.Before(s.CreatedAt.Add(l.of(s.Kind))) || s.Kind == Staff && !now.Before(s.SeenAt.Add(l.Idle.Or(StaffIdle)))
}
