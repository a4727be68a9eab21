package ui

import (
	"context"
	"time"

	"gatehouse/views/i18n"
)

// Request is what components need to know of the request that a page answers. The web edge puts it into the context
// once; every field may be left out.
type Request struct {
	CSRF    string         // goes into every form
	Theme   string         // light, dark, or "" to follow the system
	Path    string         // of the page, to mark the current entry of menus
	Now     time.Time      // relative times are seen from here
	Zone    *time.Location // of the reader; UTC when nil
	Locale  string         // i18n.English when empty
	SignOut string         // where the reader signs out; empty when nobody is signed in
	Home    string         // where the reader's own pages begin; empty when nobody is signed in, and half-way in
	Staff   bool           // the reader is one of our staff
	MailAt  string         // where the mail of a demo can be read; empty where mail is really sent
}

type requestKey struct{}

// With returns a context for rendering the answer to r.
func With(ctx context.Context, r Request) context.Context {
	return context.WithValue(i18n.With(ctx, r.Locale), requestKey{}, r)
}

// Of is the request that ctx renders for. Its Zone is never nil.
func Of(ctx context.Context) Request {
	r, _ := ctx.Value(requestKey{}).(Request)
	if r.Zone == nil {
		r.Zone = time.UTC
	}
	return r
}
