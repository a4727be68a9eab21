package portal

import (
	"context"

	"github.com/a-h/templ"

	"gatehouse/app/relay"
)

// noEvents is the part of a topic that follows no runs and needs no mark.
type noEvents struct{}

func (noEvents) event(runEvent) {}
func (noEvents) mark() string   { return "" }

func (still) start(*feed)                                      {}
func (still) notice(context.Context, relay.Notice) bool        { return false }
func (still) flush(context.Context) ([]templ.Component, error) { return nil, nil }
