package live

import (
	"context"
	"errors"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/ui"
)

// pace is the least time between two pushes of one page: ten a second are enough to read along.
const pace = 100 * time.Millisecond

// push is one message to the page.
type push struct {
	id    string
	parts []templ.Component
}

// Page is one open page. It decides what is pushed into it, and when.
type Page struct {
	s     *Stream
	of    account.CustomerID
	c     echo.Context
	ctx   context.Context // ends with the stream
	menu  *menu
	topic Topic
	calls chan func()
	out   chan push
	timer *time.Timer
	due   bool // the timer runs
	tries int  // in vain since the page was last up to date
	last  time.Time
}

func (s *Stream) newPage(c echo.Context, w *web.Stream) *Page {
	p := &Page{
		s: s, of: frame.Customer(c), c: c, ctx: w.Context(), menu: &menu{Stream: s, of: frame.Customer(c)},
		calls: make(chan func()), out: make(chan push), timer: time.NewTimer(pace),
	}
	p.timer.Stop()
	p.topic = s.topicOf(c, w.LastID())
	away := c.QueryParam("away")
	p.menu.away, p.menu.mute, p.menu.bare = away != "", away != "", away == "bare"
	return p
}

// Context ends with the page's stream.
func (p *Page) Context() context.Context { return p.ctx }

// Do runs fn between two flushes, where a topic may be changed, and flushes soon after. It waits for fn's turn; false: the
// page is gone.
func (p *Page) Do(fn func()) bool {
	select {
	case p.calls <- fn:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// Failed notes that something could not be pushed; the page keeps what it shows until it can.
func (p *Page) Failed(what string, err error) {
	if p.ctx.Err() == nil && !frame.IsAway(err) {
		p.s.Log.WarnContext(p.ctx, "push failed", "what", what, "customer_id", p.of, "error", err)
	}
}

// run feeds the page until the stream ends or falls behind; then the browser connects again and goes on from its mark.
func (p *Page) run(sub *relay.Subscription) {
	defer close(p.out)
	defer p.timer.Stop()
	if p.menu.mute {
		go p.listen()
	}
	p.begin()
	for {
		select {
		case <-p.ctx.Done():
			return
		case n, ok := <-sub.C:
			if !ok {
				return
			}
			p.notice(n)
		case fn := <-p.calls:
			fn()
			p.wake()
		case <-p.timer.C:
			p.due, p.last = false, p.s.Now()
			if !p.flush() {
				return
			}
			if p.menu.back {
				p.menu.back = false
				p.begin()
			}
		}
	}
}

// begin brings the page up to date: at first, and when the server is back.
func (p *Page) begin() {
	p.topic.Start(p)
	p.wake()
}

// listenEvery is how often a server that does not answer is asked whether it does.
const listenEvery = 3 * time.Second

// listen waits until a server that did not answer answers again. A page that could not be filled is filled then, or
// says that it can be.
func (p *Page) listen() {
	tick := time.NewTicker(listenEvery)
	defer tick.Stop()
	for {
		_, err := p.s.Chat.Agents(p.ctx, p.of)
		if err == nil || p.ctx.Err() != nil {
			break
		}
		select {
		case <-tick.C:
		case <-p.ctx.Done():
			return
		}
	}
	p.Do(p.menu.answers)
}

func (p *Page) notice(n relay.Notice) {
	mine, menus := p.topic.Notice(p.ctx, n), p.menu.notice(n)
	if mine || menus {
		p.wake()
	}
}

// wake flushes soon: at once after a rest, else when the pace allows.
func (p *Page) wake() {
	if p.due {
		return
	}
	p.due = true
	p.timer.Reset(max(0, pace-p.s.Now().Sub(p.last)))
}

// flush sends what changed; false when nobody reads any more.
func (p *Page) flush() bool {
	ctx := ui.With(p.ctx, ui.Of(web.Context(p.c))) // ages are counted from now, not from when the stream began
	parts, menu := p.menu.flush(ctx)
	more, page := p.topic.Flush(ctx)
	p.again(errors.Join(menu, page))
	if parts = append(parts, more...); len(parts) == 0 {
		return true
	}
	select {
	case p.out <- push{id: p.topic.Mark(), parts: parts}:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// How long it takes until a page that could not be brought up to date is tried again, at first and at most.
const (
	againFirst = time.Second
	againMost  = 30 * time.Second
)

// again flushes once more when something could not be found out, even without a notice: each time later.
func (p *Page) again(err error) {
	if err == nil {
		p.tries = 0
		return
	}
	p.Failed("page not brought up to date", err)
	p.timer.Reset(min(againFirst<<min(p.tries, 10), againMost))
	p.tries++
}

// end waits until nothing touches the request any more.
func (p *Page) end(w *web.Stream) {
	w.Close()
	for range p.out { //nolint:revive // what was not read any more is dropped
	}
}
