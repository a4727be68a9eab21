package frame

import (
	"context"
	"errors"
	"time"

	"gatehouse/app/fault"
)

// pageWait is how long a page waits for the customer's server; then it is shown without what only the server has.
const pageWait = 2500 * time.Millisecond

// Asking is the context in which a page asks the customer's server. What the page reads at the hub afterwards needs
// another one, for this one may be used up.
func Asking(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, pageWait)
}

// IsOurs reports whether an error is the hub's own. An answer that the server leaves out, refuses or fails at is not: a
// page can do without one part of it.
func IsOurs(err error) bool {
	f := fault.Of(err)
	return err != nil && f.Kind == fault.Internal && f.Code != "server-internal"
}

// IsAway reports whether the server could not be reached, as opposed to having refused.
func IsAway(err error) bool {
	var f *fault.Fault
	return errors.As(err, &f) && f.Kind == fault.Away
}
