package wire

import (
	"slices"
	"time"
)

// Chats is what the owner has set for conversations. An older server ignores it.
type Chats struct {
	Queue     QueueMode `json:"queue,omitempty"`       // empty: follow-up in the portal and for programs, collect in messengers
	Debounce  *int      `json:"debounce_ms,omitempty"` // how long more of a burst of messages is waited for; nil: DefaultDebounce
	IdleHours int       `json:"idle_hours,omitempty"`  // after so long without a message the next one begins a conversation; 0: never
	Daily     bool      `json:"daily,omitempty"`       // so does the first message after DailyHour in the owner's zone
}

// QueueMode is what becomes of a message that comes while a run of its conversation is at work.
type QueueMode string

// The queue modes.
const (
	QueueFollowUp  QueueMode = "follow-up" // each message is a turn of its own, in order
	QueueCollect   QueueMode = "collect"   // what came meanwhile becomes one turn afterwards
	QueueSteer     QueueMode = "steer"     // it is put into the running turn before its next model call
	QueueInterrupt QueueMode = "interrupt" // the running turn is stopped, and the message is answered
)

// QueueModes lists them.
func QueueModes() []QueueMode {
	return []QueueMode{QueueFollowUp, QueueCollect, QueueSteer, QueueInterrupt}
}

// Known says whether there is such a mode; empty is one.
func (m QueueMode) Known() bool { return m == "" || slices.Contains(QueueModes(), m) }

const (
	// DefaultDebounce is how long a burst of messages has to be over before it is answered, where it is waited for.
	DefaultDebounce = 1500 * time.Millisecond
	// MaxDebounce is the longest that can be set, in milliseconds.
	MaxDebounce = 10_000
	// MaxIdleHours is the longest idle time that can be set: a year.
	MaxIdleHours = 8760
	// DailyHour is when a day begins, for conversations that begin anew each day.
	DailyHour = 4
)

// Burst is how long a burst of messages has to be over.
func (c Chats) Burst() time.Duration {
	if c.Debounce == nil {
		return DefaultDebounce
	}
	return time.Duration(*c.Debounce) * time.Millisecond
}

// Over says whether a conversation that was quiet since last is over at now, in the owner's zone.
func (c Chats) Over(last, now time.Time, zone *time.Location) bool {
	if c.IdleHours > 0 && now.Sub(last) >= time.Duration(c.IdleHours)*time.Hour {
		return true
	}
	if !c.Daily {
		return false
	}
	here := now.In(zone)
	day := time.Date(here.Year(), here.Month(), here.Day(), DailyHour, 0, 0, 0, zone)
	if day.After(now) {
		day = time.Date(here.Year(), here.Month(), here.Day()-1, DailyHour, 0, 0, 0, zone)
	}
	return last.Before(day)
}
