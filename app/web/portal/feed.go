package portal

import (
	"context"
	"errors"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/views/ui"
)

// pace is the least time between two pushes of one page: ten a second are enough to read along.
const pace = 100 * time.Millisecond

// topic is what one page shows beside the frame that all pages share. Its methods are called from one goroutine.
type topic interface {
	// start begins with a page that was loaded a moment ago, or left for a while: the next flush brings it up to date.
	start(f *feed)
	// notice takes in that something changed; false: not on this page.
	notice(ctx context.Context, n relay.Notice) bool
	// event takes in an event of a run that the topic follows.
	event(ev runEvent)
	// flush gives what changed since the last look. What it could not find out, the next one tries again.
	flush(ctx context.Context) ([]templ.Component, error)
	// mark is the id of all that was flushed, from which a stream that was cut goes on.
	mark() string
}

// push is one message to the page.
type push struct {
	id    string
	parts []templ.Component
}

// feed decides what is pushed into one open page, and when.
type feed struct {
	p      *Portal
	of     account.CustomerID
	c      echo.Context
	ctx    context.Context // ends with the stream
	menu   *menu
	topic  topic
	events chan runEvent
	out    chan push
	timer  *time.Timer
	due    bool // the timer runs
	tries  int  // in vain since the page was last up to date
	last   time.Time
}

// runEvent is an event that a follower brings, or the log of a run that has ended.
type runEvent struct {
	run string
	ev  wire.RunEvent
	log *wire.ReceiptsResult

	heard bool // no event: the server, which did not answer, answers again
}

func (p *Portal) newFeed(c echo.Context, s *web.Stream) *feed {
	f := &feed{
		p: p, of: customer(c), c: c, ctx: s.Context(), menu: &menu{p: p, of: customer(c)},
		events: make(chan runEvent), out: make(chan push), timer: time.NewTimer(pace),
	}
	f.timer.Stop()
	f.topic = p.topicOf(c, s.LastID())
	away := c.QueryParam("away")
	f.menu.away, f.menu.mute, f.menu.bare = away != "", away != "", away == "bare"
	return f
}

// run feeds the page until the stream ends or falls behind; then the browser connects again and goes on from its mark.
func (f *feed) run(sub *relay.Subscription) {
	defer close(f.out)
	defer f.timer.Stop()
	if f.menu.mute {
		go f.listen()
	}
	f.begin()
	for {
		select {
		case <-f.ctx.Done():
			return
		case n, ok := <-sub.C:
			if !ok {
				return
			}
			f.notice(n)
		case ev := <-f.events:
			if ev.heard {
				f.menu.heard()
			} else {
				f.topic.event(ev)
			}
			f.wake()
		case <-f.timer.C:
			f.due, f.last = false, f.p.Now()
			if !f.flush() {
				return
			}
			if f.menu.back {
				f.menu.back = false
				f.begin()
			}
		}
	}
}

// begin brings the page up to date: at first, and when the server is back.
func (f *feed) begin() {
	f.topic.start(f)
	f.wake()
}

// listenEvery is how often a server that does not answer is asked whether it does.
const listenEvery = 3 * time.Second

// listen waits until a server that did not answer answers again. A page that could not be filled is filled then, or
// says that it can be.
func (f *feed) listen() {
	tick := time.NewTicker(listenEvery)
	defer tick.Stop()
	for {
		_, err := f.p.Chat.Agents(f.ctx, f.of)
		if err == nil || f.ctx.Err() != nil {
			break
		}
		select {
		case <-tick.C:
		case <-f.ctx.Done():
			return
		}
	}
	select {
	case f.events <- runEvent{heard: true}:
	case <-f.ctx.Done():
	}
}

func (f *feed) notice(n relay.Notice) {
	mine, menus := f.topic.notice(f.ctx, n), f.menu.notice(n)
	if mine || menus {
		f.wake()
	}
}

// wake flushes soon: at once after a rest, else when the pace allows.
func (f *feed) wake() {
	if f.due {
		return
	}
	f.due = true
	f.timer.Reset(max(0, pace-f.p.Now().Sub(f.last)))
}

// flush sends what changed; false when nobody reads any more.
func (f *feed) flush() bool {
	ctx := ui.With(f.ctx, ui.Of(web.Context(f.c))) // times are told from now, not from when the stream began
	parts, menu := f.menu.flush(ctx)
	more, page := f.topic.flush(ctx)
	f.again(errors.Join(menu, page))
	if parts = append(parts, more...); len(parts) == 0 {
		return true
	}
	select {
	case f.out <- push{id: f.topic.mark(), parts: parts}:
		return true
	case <-f.ctx.Done():
		return false
	}
}

// How long it takes until a page that could not be brought up to date is tried again, at first and at most.
const (
	againFirst = time.Second
	againMost  = 30 * time.Second
)

// again flushes once more when something could not be found out, also if nothing tells of a change: each time later.
func (f *feed) again(err error) {
	if err == nil {
		f.tries = 0
		return
	}
	f.trouble("page not brought up to date", err)
	f.timer.Reset(min(againFirst<<min(f.tries, 10), againMost))
	f.tries++
}

// trouble notes that something could not be pushed; the page keeps what it shows until it can.
func (f *feed) trouble(what string, err error) {
	if f.ctx.Err() == nil && !isAway(err) {
		f.p.Log.WarnContext(f.ctx, "push failed", "what", what, "customer_id", f.of, "error", err)
	}
}
