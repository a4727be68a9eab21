package portal

import (
	"context"
	"strings"
	"time"

	"github.com/a-h/templ"

	"gatehouse/app/relay"
)

// calm is the least time between two looks at something that takes a round trip to the server.
const calm = time.Second

// panel is a topic that is drawn anew as a whole when something changed, and pushed when it looks different.
type panel struct {
	noEvents
	matters func(n relay.Notice) bool
	draw    func(ctx context.Context) (templ.Component, error) // as a push
	now     func() time.Time

	stale bool
	shown string
	again *time.Timer // a look that had to wait
	wake  func()
	last  time.Time
}

func (p *panel) start(f *feed) {
	p.stale, p.shown = true, ""
	p.wake = func() {
		select {
		case f.events <- runEvent{}:
		case <-f.ctx.Done():
		}
	}
}

func (p *panel) notice(_ context.Context, n relay.Notice) bool {
	if !p.matters(n) {
		return false
	}
	p.stale = true
	return true
}

// flush draws the panel, at most once in calm; what comes sooner is looked at when the time is up.
func (p *panel) flush(ctx context.Context) ([]templ.Component, error) {
	if !p.stale {
		return nil, nil
	}
	if rest := calm - p.now().Sub(p.last); rest > 0 {
		p.later(rest)
		return nil, nil
	}
	p.last = p.now()
	view, err := p.draw(ctx)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := view.Render(ctx, &b); err != nil {
		return nil, err
	}
	p.stale = false
	if b.String() == p.shown {
		return nil, nil
	}
	p.shown = b.String()
	return []templ.Component{templ.Raw(p.shown)}, nil
}

func (p *panel) later(rest time.Duration) {
	if p.again == nil {
		p.again = time.AfterFunc(rest, p.wake)
		return
	}
	p.again.Reset(rest)
}
