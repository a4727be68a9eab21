package push

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// When a device is told.
const (
	ringPause = 30 * time.Second // between two messages that make a sound: what comes in between changes the number silently
	busyFor   = 30 * time.Second // a sender that was killed holds its device no longer; a message takes less
	busyWait  = time.Second      // before another look at a device that somebody else is telling something
	kept      = 24 * time.Hour   // that a push service holds a message for a device that is off
	maxTold   = 100              // requests that are compared one by one; more are only counted
)

// Paths that messages open.
const (
	cardPath = "/app/approvals/"
	listPath = "/app/approvals"
	testPath = "/app/settings/notifications"
	poolPath = "/app/agents/limits"

	supportPath = "/app/server/support/"
)

// Waiting is a device and what it should show, as it was when the device was taken for telling.
type Waiting struct {
	Device
	Subscription Subscription
	Business     string
	Zone         string // IANA name of the business's time zone
	Locale       string // language that the person reads in; empty: not known
	Quiet        Quiet
	Told         []string  // ids of the requests that the device shows
	Pending      []string  // ids of those that wait, the newest first, at most as many as asked for
	Count        int       // how many wait in all
	RangAt       time.Time // when the device last made a sound
}

// Telling is the part of the store that keeps what devices were told.
type Telling interface {
	// Take holds a device until then for whoever tells it something, and reads what it should show: the newest requests up
	// to limit. While somebody else holds it, held is true. A device that was turned off is not found.
	Take(ctx context.Context, device string, now, until time.Time, limit int) (w Waiting, held bool, err error)
	// Told gives a device back and keeps what it shows from now on. A zero rang leaves when it last made a sound.
	Told(ctx context.Context, device string, shows []string, now, rang time.Time) error
	// Failed gives a device back that could not be told.
	Failed(ctx context.Context, device string, now time.Time) error
	// Leave gives a device back that needed nothing.
	Leave(ctx context.Context, device string) error
	// Asked says whether a support window waits for the owner.
	Asked(ctx context.Context, window string) (bool, error)
	// Gone removes a device that takes no more messages.
	Gone(ctx context.Context, device string) error
}

// Message is what goes to a push service.
type Message struct {
	Body   []byte // sealed for the browser; the service cannot read it
	Topic  string // replaces a message of the same topic that was not delivered yet
	Urgent bool   // wakes a device that saves power
	Life   time.Duration
}

// Notice is what a message is about, to be put into words.
type Notice struct {
	Business string
	Locale   string // language to say it in; empty: not known
	Count    int    // requests that wait
	Pool     int    // percent of the month's tokens that are used; 0: it is not about them
	Support  bool   // one of our staff asks for a support window
	Test     bool   // sent by hand, about nothing
}

// Words puts a notice into a title and a line of text.
type Words func(ctx context.Context, n Notice) (title, text string)

// note is a message as the browser reads it: static/js/worker.js.
type note struct {
	Kind  string `json:"kind"`  // waiting, pool, support, test
	Title string `json:"title"` // of the notification
	Text  string `json:"text"`
	Path  string `json:"path"`  // what it opens
	Count int    `json:"count"` // waiting only; 0 takes the notification away
	Loud  bool   `json:"loud"`  // makes a sound
	Time  int64  `json:"time"`  // ms since 1970: an older one is not shown over a newer one
}

// plan is what to do about a device.
type plan struct {
	send  bool
	loud  bool
	shows []string      // what the device shows once it is told
	count int           // how many that is, also beyond maxTold
	again time.Duration // look again after this long; 0: when something changes
}

// next compares what a device shows with what waits.
func (w Waiting) next(now time.Time, pause time.Duration) plan {
	fresh := slices.ContainsFunc(w.Pending, func(id string) bool { return !slices.Contains(w.Told, id) })
	stale := slices.ContainsFunc(w.Told, func(id string) bool { return !slices.Contains(w.Pending, id) })
	if left := w.Quiet.Left(now, w.Zone); fresh && left > 0 { // what is answered goes away in quiet hours too
		known := slices.DeleteFunc(slices.Clone(w.Pending), func(id string) bool { return !slices.Contains(w.Told, id) })
		return plan{send: stale, shows: known, count: len(known), again: left}
	}
	return plan{send: fresh || stale, loud: fresh && now.Sub(w.RangAt) >= pause, shows: w.Pending, count: w.Count}
}

// Tell tells a device what waits, if it shows something else. Again says when to look again; 0: when something changes.
// A device that is gone or was turned off is nothing to be told about.
func (s *Service) Tell(ctx context.Context, device string) (again time.Duration, err error) {
	return s.with(ctx, device, func(w Waiting, now time.Time) (time.Duration, error) {
		p := w.next(now, s.Rules.Pause.Or(ringPause))
		if !p.send {
			return p.again, s.Store.Leave(ctx, device)
		}
		path := listPath
		if len(p.shows) == 1 {
			path = cardPath + p.shows[0]
		}
		title, text := s.Words(ctx, Notice{Business: w.Business, Locale: w.Locale, Count: p.count})
		err := s.send(ctx, w, note{
			Kind: "waiting", Title: title, Text: text, Path: path, Count: p.count, Loud: p.loud, Time: now.UnixMilli(),
		})
		if err != nil {
			return 0, err
		}
		rang := time.Time{}
		if p.loud {
			rang = now
		}
		return p.again, s.Store.Told(ctx, device, p.shows, now, rang)
	})
}

// TellPool tells a device how many percent of the month's tokens are used. In quiet hours again says when they are over.
func (s *Service) TellPool(ctx context.Context, device string, percent int) (again time.Duration, err error) {
	return s.with(ctx, device, func(w Waiting, now time.Time) (time.Duration, error) {
		if left := w.Quiet.Left(now, w.Zone); left > 0 {
			return left, s.Store.Leave(ctx, device)
		}
		title, text := s.Words(ctx, Notice{Business: w.Business, Locale: w.Locale, Pool: percent})
		err := s.send(ctx, w, note{Kind: "pool", Title: title, Text: text, Path: poolPath, Loud: true, Time: now.UnixMilli()})
		if err != nil {
			return 0, err
		}
		return 0, s.Store.Told(ctx, device, w.Told, now, time.Time{})
	})
}

// TellSupport tells a device that one of our staff asks for a support window, unless that was answered meanwhile. In quiet hours again
// says when they are over.
func (s *Service) TellSupport(ctx context.Context, device, window string) (again time.Duration, err error) {
	return s.with(ctx, device, func(w Waiting, now time.Time) (time.Duration, error) {
		waits, err := s.Store.Asked(ctx, window)
		if err != nil {
			return 0, err
		}
		if !waits {
			return 0, s.Store.Leave(ctx, device)
		}
		if left := w.Quiet.Left(now, w.Zone); left > 0 {
			return left, s.Store.Leave(ctx, device)
		}
		title, text := s.Words(ctx, Notice{Business: w.Business, Locale: w.Locale, Support: true})
		err = s.send(ctx, w, note{Kind: "support", Title: title, Text: text, Path: supportPath + window, Loud: true, Time: now.UnixMilli()})
		if err != nil {
			return 0, err
		}
		return 0, s.Store.Told(ctx, device, w.Told, now, time.Time{})
	})
}

// TellTest sends a device a test message, also in quiet hours: somebody stands before it and waits.
func (s *Service) TellTest(ctx context.Context, device string) (again time.Duration, err error) {
	return s.with(ctx, device, func(w Waiting, now time.Time) (time.Duration, error) {
		title, text := s.Words(ctx, Notice{Business: w.Business, Locale: w.Locale, Test: true})
		err := s.send(ctx, w, note{Kind: "test", Title: title, Text: text, Path: testPath, Loud: true, Time: now.UnixMilli()})
		if err != nil {
			return 0, err
		}
		return 0, s.Store.Told(ctx, device, w.Told, now, time.Time{})
	})
}

// with does something with a device that nobody else is telling anything: what it shows is then known.
func (s *Service) with(
	ctx context.Context, device string, do func(w Waiting, now time.Time) (time.Duration, error),
) (time.Duration, error) {
	now := s.Now().UTC()
	w, held, err := s.Store.Take(ctx, device, now, now.Add(busyFor), maxTold)
	if err != nil {
		return 0, fmt.Errorf("tell device: %w", err)
	}
	if held {
		return busyWait, nil
	}
	again, err := do(w, now)
	if err == nil {
		return again, nil
	}
	return 0, fmt.Errorf("tell device: %w", errors.Join(err, s.undelivered(context.WithoutCancel(ctx), device, err)))
}

// undelivered keeps what became of a device that was not told.
func (s *Service) undelivered(ctx context.Context, device string, err error) error {
	if errors.Is(err, ErrGone) {
		return s.Store.Gone(ctx, device)
	}
	return s.Store.Failed(ctx, device, s.Now().UTC())
}

func (s *Service) send(ctx context.Context, w Waiting, n note) error {
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return s.Sender.Send(ctx, w.Subscription, Message{Body: body, Topic: n.Kind, Urgent: n.Loud, Life: s.Rules.Kept.Or(kept)})
}
