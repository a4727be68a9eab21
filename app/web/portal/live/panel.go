package live

import (
	"context"
	"strings"
	"time"

	"github.com/a-h/templ"

	"gatehouse/app/relay"
)

// panelPace is the least time between two looks at something that takes a round trip to the server.
const panelPace = time.Second

// Panel is a topic that is drawn as a whole when something changed, and pushed when it looks different.
type Panel struct {
	Matters func(n relay.Notice) bool
	Draw    func(ctx context.Context) (templ.Component, error) // as a push
	Now     func() time.Time

	page  *Page
	stale bool
	shown string
	again *time.Timer // a look that had to wait
	last  time.Time
}

// Start lets the next flush draw the panel.
func (p *Panel) Start(page *Page) { p.page, p.stale, p.shown = page, true, "" }

// Notice takes in that something changed.
func (p *Panel) Notice(_ context.Context, n relay.Notice) bool {
	if !p.Matters(n) {
		return false
	}
	p.stale = true
	return true
}

// Flush draws the panel, at most once in panelPace; what comes sooner is looked at when the time is up.
func (p *Panel) Flush(ctx context.Context) ([]templ.Component, error) {
	if !p.stale {
		return nil, nil
	}
	if rest := panelPace - p.Now().Sub(p.last); rest > 0 {
		p.later(rest)
		return nil, nil
	}
	p.last = p.Now()
	view, err := p.Draw(ctx)
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

// Mark is empty: a panel is sent as a whole.
func (p *Panel) Mark() string { return "" }

func (p *Panel) later(rest time.Duration) {
	if p.again == nil {
		page := p.page
		p.again = time.AfterFunc(rest, func() { page.Do(func() {}) })
		return
	}
	p.again.Reset(rest)
}
