package portaltest

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// Stream is the stream of an open page.
type Stream struct {
	t      testing.TB
	Lines  chan Message
	Cancel context.CancelFunc
}

// Message is one event of a stream.
type Message struct{ ID, Event, Data string }

// Open connects the stream of a page; lastID is where it goes on, "" for a new one.
func (b *Browser) Open(path, lastID string) *Stream {
	b.T.Helper()
	ctx, cancel := context.WithCancel(b.T.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.Hub.URL+path, nil)
	Must(b.T, err)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := b.Do(r)
	Must(b.T, err)
	if resp.StatusCode != http.StatusOK {
		b.T.Fatalf("stream %s: status %d", path, resp.StatusCode)
	}
	s := &Stream{t: b.T, Lines: make(chan Message, 100), Cancel: cancel}
	go s.read(resp.Body)
	b.T.Cleanup(cancel)
	return s
}

func (s *Stream) read(body io.ReadCloser) {
	defer close(s.Lines)
	defer body.Close()
	var m Message
	in := bufio.NewScanner(body)
	in.Buffer(nil, 4<<20)
	for in.Scan() {
		name, value, _ := strings.Cut(in.Text(), ": ")
		switch {
		case in.Text() == "":
			if m != (Message{}) {
				s.Lines <- m
			}
			m = Message{}
		case name == "id":
			m.ID = value
		case name == "event":
			m.Event = value
		case name == "data":
			m.Data += value + "\n"
		}
	}
}

// patience is how long a test waits for what must happen.
const patience = time.Minute

// Until reads on until a message holds the text, and gives all that came. What is pushed never takes the focus.
func (s *Stream) Until(text string) (got []Message) {
	s.t.Helper()
	limit := time.After(patience)
	for {
		select {
		case m, ok := <-s.Lines:
			if !ok {
				s.t.Fatalf("the stream ended before %q", text)
			}
			got = append(got, m)
			if strings.Contains(m.Data, " autofocus") {
				s.t.Fatalf("a pushed fragment takes the focus: %s", m.Data)
			}
			if strings.Contains(m.Data, text) {
				return got
			}
		case <-limit:
			s.t.Fatalf("never pushed: %q; came %v", text, got)
		}
	}
}

// Part is the pushed fragment for a target, of the last message that has one.
func Part(got []Message, target string) *goquery.Selection {
	for i := len(got) - 1; i >= 0; i-- {
		html := strings.NewReplacer("<hx-partial", "<div", "</hx-partial>", "</div>").Replace(got[i].Data)
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
		if err != nil {
			continue
		}
		found := doc.Find("div[hx-target]").FilterFunction(func(_ int, s *goquery.Selection) bool {
			return s.AttrOr("hx-target", "") == target
		})
		if found.Length() > 0 {
			return found
		}
	}
	return &goquery.Selection{}
}
