package signaltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// occurrence is something that happened, as an event.
type occurrence struct {
	id   int
	what any
}

// stream is one that listens to events.
type stream struct {
	out  chan string
	over chan struct{}
}

// maxKept is how many events can be asked for again.
const maxKept = 1000

// aliveEvery is how often a sign of life is given.
const aliveEvery = 100 * time.Millisecond

// events hands out what happens, first that after the event that is asked for. Without anybody who listens nothing happens: what people
// write stays at Signal.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.fault("events")
	if f != (Fault{}) {
		s.mu.Unlock()
		s.fail(w, r, f, func() response { return response{} })
		return
	}
	if at := r.URL.Query().Get("account"); !s.single && at != "" && at != Account {
		s.mu.Unlock()
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	one := &stream{out: make(chan string, 100_000), over: make(chan struct{})}
	s.asked = r.Header.Get("Last-Event-ID")
	s.again(one, s.asked)
	s.streams[one] = true
	for _, what := range s.waiting {
		s.happens(what)
	}
	s.waiting = nil
	s.mu.Unlock()
	defer s.drop(one)
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	s.write(w, r, one)
}

// again gives what came after an event; of one that is not known, all that is kept. The lock is held.
func (s *Server) again(one *stream, after string) {
	if after == "" || !s.numbers {
		return
	}
	n, err := strconv.Atoi(after)
	known := false
	for _, o := range s.kept {
		known = known || o.id == n
	}
	for _, o := range s.kept {
		if err != nil || !known || o.id > n {
			one.out <- s.text(o)
		}
	}
}

func (s *Server) drop(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, one)
}

func (s *Server) write(w http.ResponseWriter, r *http.Request, one *stream) {
	tick := time.NewTicker(aliveEvery)
	defer tick.Stop()
	say := func(text string) bool {
		_, err := w.Write([]byte(text))
		return err == nil && http.NewResponseController(w).Flush() == nil
	}
	for going := say(":\n"); going; {
		select {
		case <-r.Context().Done():
			return
		case <-s.gone:
			return
		case <-one.over:
			return
		case text := <-one.out:
			going = say(text)
		case <-tick.C:
			s.mu.Lock()
			mute := s.mute
			s.mu.Unlock()
			going = mute || say(":\n")
		}
	}
}

// text is an event as it is written. The lock is held.
func (s *Server) text(o occurrence) string {
	raw, _ := json.Marshal(o.what) // always marshals
	number := ""
	if s.numbers {
		number = fmt.Sprintf("id:%d\n", o.id)
	}
	return number + "event:receive\ndata:" + string(raw) + "\n\n"
}

// happens has something happen, or wait until somebody listens. The lock is held.
func (s *Server) happens(what any) {
	if len(s.streams) == 0 {
		s.waiting = append(s.waiting, what)
		return
	}
	o := occurrence{id: 1, what: what}
	if n := len(s.kept); n > 0 {
		o.id = s.kept[n-1].id + 1
	}
	s.kept = append(s.kept, o)
	s.kept = s.kept[max(len(s.kept)-maxKept, 0):]
	for one := range s.streams {
		one.out <- s.text(o)
	}
}

// Break ends every stream of events without a word.
func (s *Server) Break() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for one := range s.streams {
		close(one.over)
		delete(s.streams, one)
	}
}

// Restart breaks every stream, and has the server know no event of before.
func (s *Server) Restart() {
	s.Break()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = nil
}

// Asked is the event after which whoever listened last has asked.
func (s *Server) Asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Listeners is how many listen.
func (s *Server) Listeners() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams)
}
