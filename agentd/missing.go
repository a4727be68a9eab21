package agentd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gatehouse/agentd/sandbox"
)

// Missing names the tools that this machine cannot offer, with the reason, found out by trying in folders of its own.
func Missing(ctx context.Context) (off map[string]string, err error) {
	dir, err := os.MkdirTemp("", "agentd-probe-")
	if err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	data, state := filepath.Join(dir, "data"), filepath.Join(dir, "state")
	if err := errors.Join(os.Mkdir(data, 0o700), os.Mkdir(state, 0o700)); err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	box, err := sandbox.New(ctx, data, state)
	if err != nil {
		return nil, err
	}
	return missing(box), ctx.Err()
}

// missing names the tools that cannot be offered with this sandbox.
func missing(box *sandbox.Sandbox) map[string]string {
	off := map[string]string{}
	if why := box.Protection().Off; why != "" {
		off["shell"] = why
	}
	return off
}
