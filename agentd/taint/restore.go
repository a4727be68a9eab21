package taint

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// RestoreTool is the tool that puts back what a write has replaced.
const RestoreTool = "file_restore"

// PutBack marks the files that a call has put back outside of a run, at the command line: what came from outside is marked
// again.
func PutBack(ctx context.Context, s Store, c Call, out Outcome, now time.Time) error {
	if out.State == wire.ToolDenied {
		return nil
	}
	files := targets(out)
	if err := s.Write(ctx, func(tx *sql.Tx) error { return replaceMarks(s, tx, c, out, files, now) }); err != nil {
		return fmt.Errorf("mark what was put back: %w", err)
	}
	return nil
}

// replaceMarks saves the marks of files that a call has replaced. When the call has put back earlier content, it restores
// the marks of that content.
func replaceMarks(s Store, tx *sql.Tx, c Call, out Outcome, files []string, at time.Time) error {
	if err := saveMarks(s, tx, c.ID, files, at); err != nil || c.Tool != RestoreTool {
		return err
	}
	return restoreMarks(s, tx, restoredCall(c, out), files, at)
}

// restoredCall is the write that a call has taken back; empty when that is not known.
func restoredCall(c Call, out Outcome) string {
	if of, ok := out.Result.Meta["restores"].(string); ok {
		return of
	}
	var in policy.FileRestoreArgs
	if json.Unmarshal(out.ranArgs(c), &in) != nil {
		return ""
	}
	return in.Call
}

// targets are the files that a call says it has changed.
func targets(out Outcome) []string {
	var all []string
	for _, e := range out.Result.Effects {
		all = append(all, path.Clean(e.Target))
	}
	return all
}
