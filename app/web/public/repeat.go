package public

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

// repeats remembers which checkout forms were sent, so that a double click is one order. A ticket opens nothing by
// itself: the password must fit as well. They are kept in this process alone; at worst, a repeat is asked to sign in.
type repeats struct {
	mu   sync.Mutex
	sent map[string]repeat
}

type repeat struct {
	email string
	at    time.Time
}

const (
	repeatLife = 10 * time.Minute
	repeatMax  = 10_000
)

// ticketOf is the ticket of the form: the one it was sent with, else a new one.
func ticketOf(c echo.Context) string {
	if t := c.FormValue("ticket"); t != "" && len(t) <= 64 {
		return t
	}
	return rand.Text()
}

// add notes that the form with ticket made an account for email.
func (r *repeats) add(ticket, email string, now time.Time) {
	if ticket == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sent == nil {
		r.sent = map[string]repeat{}
	}
	for t, old := range r.sent {
		if now.Sub(old.at) >= repeatLife || len(r.sent) >= repeatMax {
			delete(r.sent, t)
		}
	}
	r.sent[ticket] = repeat{email, now}
}

// has says whether the form with ticket made the account for email a short while ago.
func (r *repeats) has(ticket, email string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.sent[ticket]
	return ok && s.email == email && now.Sub(s.at) < repeatLife
}
