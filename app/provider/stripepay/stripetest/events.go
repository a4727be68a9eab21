package stripetest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// happened notes an event. It carries the object as it is at that moment, as Stripe does.
func (s *Stripe) happened(kind string, o, before Object) {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	s.n++
	data := Object{"object": json.RawMessage(raw)}
	if before != nil {
		data["previous_attributes"] = before
	}
	s.events = append(s.events, Object{
		"id": fmt.Sprintf("evt_%06d", s.n), "object": "event", "api_version": "2026-08-26", "created": s.now().Unix(), "livemode": false,
		"type": kind, "data": data,
	})
}

func (s *Stripe) listEvents(f form) (int, []byte) {
	since, out := f.int("created[gte]"), []any{}
	for _, e := range slices.Backward(s.events) {
		if at, _ := e["created"].(int64); at >= since {
			out = append(out, e)
		}
	}
	return s.made(Object{"object": "list", "data": out, "has_more": false, "url": "/v1/events"})
}

// Event is what Stripe would send.
type Event struct {
	ID   string
	Kind string
	Body []byte
}

// Events are all events so far, the oldest first.
func (s *Stripe) Events() []Event { return s.EventsAfter(0) }

// EventsAfter are those after the first n.
func (s *Stripe) EventsAfter(n int) []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	some := s.events[min(n, len(s.events)):]
	out := make([]Event, len(some))
	for i, e := range some {
		raw, err := json.MarshalIndent(e, "", "  ")
		if err != nil {
			panic(err)
		}
		out[i].Body = raw
		out[i].ID, _ = e["id"].(string)
		out[i].Kind, _ = e["type"].(string)
	}
	return out
}

// Sign is the header that comes with a body, signed with what an endpoint shares with Stripe.
func Sign(body []byte, with string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(with))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// Deliver sends the events to a hub that were not sent yet. The first that is not taken ends it, and is sent again next time.
func (s *Stripe) Deliver(hub, with string) error {
	all := s.Events()
	for s.sent < len(all) {
		if err := Send(hub, all[s.sent].Body, Sign(all[s.sent].Body, with, s.now())); err != nil {
			return err
		}
		s.sent++
	}
	return nil
}

// Send sends one event.
func Send(hub string, body []byte, signature string) error {
	req, err := http.NewRequest(http.MethodPost, hub+"/webhooks/stripe", bytes.NewReader(body)) //nolint:noctx // a test ends it
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("Stripe-Signature", signature)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("%s", strings.TrimSpace(res.Status))
	}
	return nil
}
