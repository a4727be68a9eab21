package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// keepMarks notes which marks files have that a write has replaced, before it changes them: what was there may be put back,
// long after a clean run has written over it.
func keepMarks(tx txn, callID string, files []string, at int64) error {
	for _, f := range files {
		if err := tx.exec("keep marks", "INSERT OR IGNORE INTO kept_marks (call_id, path, source, ref, at) SELECT ?, path, source, ref, ? FROM derived_files WHERE path = ?", callID, at, f); err != nil {
			return err
		}
	}
	return nil
}

// bringMarks gives files the marks again that they had before a write, which was taken back. When it is not known which one
// that was, those that they had before any.
func bringMarks(tx txn, of string, files []string, at int64) error {
	for _, f := range files {
		err := tx.exec("bring marks back", `INSERT INTO derived_files (path, source, ref, at) SELECT DISTINCT path, source, ref, ?1 FROM kept_marks WHERE path = ?2 AND (?3 = '' OR call_id = ?3)
			ON CONFLICT DO UPDATE SET at = excluded.at`, at, f, of)
		if err != nil {
			return err
		}
	}
	return nil
}

// replaced does both for a call that has put something in the place of files.
func replaced(tx txn, c gate.Call, out gate.Outcome, files []string, at int64) error {
	if err := keepMarks(tx, c.ID, files, at); err != nil || c.Tool != restoreTool {
		return err
	}
	return bringMarks(tx, takenBack(c, out), files, at)
}

// takenBack is the write that a call has taken back; empty when that is not known.
func takenBack(c gate.Call, out gate.Outcome) string {
	if of, ok := out.Result.Meta["restores"].(string); ok {
		return of
	}
	var in policy.FileRestoreArgs
	if json.Unmarshal(c.Args, &in) != nil {
		return ""
	}
	return in.Call
}

// PutBack does for a file that was put back beside a Runtime, at the command line, what a Runtime does for its own calls:
// what came from outside is marked again.
func PutBack(ctx context.Context, s Store, c gate.Call, out gate.Outcome, now time.Time) error {
	if out.State == wire.ToolDenied {
		return nil
	}
	var files []string
	for _, e := range out.Result.Effects {
		files = append(files, path.Clean(e.Target))
	}
	if err := write(ctx, s, func(tx txn) error { return replaced(tx, c, out, files, micros(now)) }); err != nil {
		return fmt.Errorf("mark what was put back: %w", err)
	}
	return nil
}
