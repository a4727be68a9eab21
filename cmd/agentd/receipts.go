package main

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"gatehouse/agentd/link"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// stateFlag is where a command looks for the state.
func (c *call) stateFlag() *string {
	dir := os.Getenv("AGENTD_STATE")
	if dir == "" {
		dir = "/var/lib/agentd"
	}
	return c.flags.String("state", dir, "state directory")
}

// receiptsVerify is "agentd receipts verify": exit 1 and the first bad record, or the head.
func receiptsVerify(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	if err := c.parse(0); err != nil {
		return err
	}
	db, err := store.OpenReader(*dir)
	if err != nil {
		return err
	}
	head, anchors, err := verify(ctx, db, *dir)
	err = errors.Join(err, db.Close())
	var broken *receipt.Broken
	if errors.As(err, &broken) {
		say(c.out, fmt.Sprintf("broken: receipt %d %s\n", broken.Seq, broken.Why), 1)
		return errBroken
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "ok: %d receipts, %d checkpoints, head %s\n", head.Seq, anchors, head.Hash)
	return err
}

// verify checks chain, index, signatures and anchors. The first bad record by number is the one that is named.
func verify(ctx context.Context, db *store.Reader, dir string) (receipt.Head, int, error) {
	head, err := receipt.Verify(ctx, db)
	if err != nil {
		return head, 0, err
	}
	if err := receipt.Indexed(ctx, db); err != nil {
		return head, 0, err
	}
	anchors, err := anchors(ctx, db, dir)
	if err != nil {
		return head, 0, err
	}
	server, pub, err := key(dir)
	if err != nil {
		return head, 0, err
	}
	return head, len(anchors), receipt.Held(ctx, db, server, pub, anchors)
}

// anchors are the checkpoints in the database and beside it; either may have been cut.
func anchors(ctx context.Context, db *store.Reader, dir string) ([]wire.Checkpoint, error) {
	inside, err := receipt.Checkpoints(ctx, db)
	if err != nil {
		return nil, err
	}
	beside, err := receipt.Anchors(dir)
	if err != nil {
		return nil, err
	}
	known := map[int64]bool{}
	for _, c := range inside {
		known[c.Seq] = true
	}
	for _, c := range beside {
		if !known[c.Seq] {
			return nil, &receipt.Broken{Seq: c.Seq, Why: "was covered by a checkpoint that the database has lost"}
		}
	}
	return append(inside, beside...), nil
}

// key is what checkpoints are verified with; a server that never registered has none and signs nothing.
func key(dir string) (string, ed25519.PublicKey, error) {
	id, err := link.LoadIdentity(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !id.Registered() {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	return id.ServerID, id.Key.Public().(ed25519.PublicKey), nil
}

// export is the JSON of a run's records; the same items that the API gives.
type export struct {
	RunID    string         `json:"run_id"`
	Items    []wire.Receipt `json:"items"`
	Verified bool           `json:"verified"`
	Problem  string         `json:"problem,omitempty"`
}

// receiptsExport is "agentd receipts export".
func receiptsExport(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	run := c.flags.String("run", "", "id of the run (required)")
	if err := c.parse(0); err != nil {
		return err
	}
	if *run == "" {
		return fmt.Errorf("%w: --run is missing", errUsage)
	}
	db, err := store.OpenReader(*dir)
	if err != nil {
		return err
	}
	out, err := exportOf(ctx, db, *dir, *run)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	enc := json.NewEncoder(c.out)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func exportOf(ctx context.Context, db *store.Reader, dir, run string) (export, error) {
	items, err := receipt.OfRuns(ctx, db, []string{run})
	if err != nil {
		return export{}, err
	}
	if len(items) == 0 {
		return export{}, fmt.Errorf("no receipts of run %q", run)
	}
	out := export{RunID: run, Items: items, Verified: true}
	var broken *receipt.Broken
	if _, _, err := verify(ctx, db, dir); errors.As(err, &broken) {
		out.Verified, out.Problem = false, broken.Error()
	} else if err != nil {
		return export{}, err
	}
	return out, nil
}
