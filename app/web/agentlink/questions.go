package agentlink

import (
	"encoding/json"
	"sync"
	"time"

	"gatehouse/agentd/wire"
)

// questions are those that a server has not answered yet.
type questions struct {
	mu   sync.Mutex
	open map[string]question
	over bool // the connection has ended
}

type question struct {
	reply func([]byte)
	until time.Time
}

// add keeps a question; false when there is no room now, or nobody to answer it.
func (q *questions) add(id string, now, until time.Time, reply func([]byte)) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = map[string]question{}
	}
	if len(q.open) >= wire.MaxAsked {
		q.sweep(now)
	}
	if q.over || len(q.open) >= wire.MaxAsked {
		return false
	}
	q.open[id] = question{reply, until}
	return true
}

// sweep forgets questions whose askers have given up.
func (q *questions) sweep(now time.Time) {
	for id, one := range q.open {
		if now.After(one.until) {
			delete(q.open, id)
		}
	}
}

// take gives the asker of a question, once.
func (q *questions) take(id string) (reply func([]byte), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	one, ok := q.open[id]
	delete(q.open, id)
	return one.reply, ok
}

// giveUp tells all askers that the link went away, so that none waits for its deadline.
func (q *questions) giveUp() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	for id, one := range q.open {
		one.reply(noAnswer(id, "The connection to your server broke before it answered. It comes back by itself; try again in a moment."))
	}
	q.open = nil
}

// noAnswer is the reply to a question that the server does not answer.
func noAnswer(id, text string) []byte {
	raw, err := json.Marshal(wire.RPCReply{ID: id, Error: &wire.RPCError{Code: "unavailable", Text: text}})
	if err != nil {
		panic("reply of plain texts: " + err.Error())
	}
	return raw
}
