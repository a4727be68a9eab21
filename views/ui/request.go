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
	Lacks   Lacks          // what the reader may not do
	MailAt  string         // where the mail of a demo can be read; empty where mail is really sent

	Operator Operator // who runs this hub
}

// Lacks says what a person of a business may not do: pages leave it out, or say why. What is not allowed is refused by the
// routes, whatever a page shows.
type Lacks struct {
	Manage  bool // what owners do
	Chat    bool // talk with the team
	Approve bool // decide requests
}

// MayManage says whether the reader may do what owners do.
func MayManage(ctx context.Context) bool { return !Of(ctx).Lacks.Manage }

// MayChat says whether the reader may talk with the team.
func MayChat(ctx context.Context) bool { return !Of(ctx).Lacks.Chat }

// MayApprove says whether the reader may decide requests.
func MayApprove(ctx context.Context) bool { return !Of(ctx).Lacks.Approve }

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
