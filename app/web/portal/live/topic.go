package live

import (
	"context"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/relay"
)

// Topic is what one page shows beside the frame that all pages share. Its methods are called from one goroutine.
type Topic interface {
	// Start begins with a page that was loaded a moment ago, or left for a while: the next flush brings it up to date.
	Start(p *Page)
	// Notice takes in that something changed; false: not on this page.
	Notice(ctx context.Context, n relay.Notice) bool
	// Flush gives what changed since the last look. What it could not find out, the next one tries again.
	Flush(ctx context.Context) ([]templ.Component, error)
	// Mark is the id of all that was flushed, from which a stream that was cut goes on.
	Mark() string
}

// Opener makes the topic of a page that asks for its stream. lastID is where a stream that was cut goes on; when it is
// empty, the address says.
type Opener func(c echo.Context, lastID string) Topic

// Shown is a topic and the right that its readers need.
type Shown struct {
	Right account.Right
	Open  Opener
}

// Topics are the topics of a section, by the name that its pages ask for.
type Topics map[string]Shown

// Still is the topic of a page with nothing of its own to push.
type Still struct{}

// Start does nothing.
func (Still) Start(*Page) {}

// Notice takes in nothing.
func (Still) Notice(context.Context, relay.Notice) bool { return false }

// Flush gives nothing.
func (Still) Flush(context.Context) ([]templ.Component, error) { return nil, nil }

// Mark is empty.
func (Still) Mark() string { return "" }
