package via

import "context"

// ErrNoRegistry is why a way without a registry stays shut.
var ErrNoRegistry = errNoRegistry

// Hold is one try of Run.
func (w *Way) Hold(ctx context.Context) error { return w.hold(ctx) }
