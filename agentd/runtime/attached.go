package runtime

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// Attach adds a file to the answer of the message that a call belongs to; callID must be with the gate. The same file again takes the
// place of what it was. A refusal is a *tool.Refused.
func (r *Runtime) Attach(ctx context.Context, callID, runID string, a tool.Attachment) error {
	c := r.inFlight.find(callID)
	if c == nil || c.run.id != runID {
		return fmt.Errorf("attach: run %s does not make the call %s", runID, callID)
	}
	t := c.run.t
	switch {
	case t.sub != nil:
		return tool.Refuse("You are a sub-agent: name the file in your answer. Who asked you can attach it.")
	case t.origin.Stranger():
		return tool.Refuse("Nothing is attached for people whom nobody has confirmed.")
	}
	if sends, err := r.sends(ctx, t.origin.Channel); err != nil {
		return fmt.Errorf("attach: %w", err)
	} else if !sends {
		return tool.Refuse("Files cannot be sent by the messenger that this message came by. " +
			"Say so, and name the file: it is in the portal.")
	}
	return write(ctx, r.store, func(tx txn) error {
		var column string
		if err := tx.row("SELECT attached FROM runs WHERE id = ?", t.root.id).Scan(&column); err != nil {
			return fmt.Errorf("read attached files: %w", err)
		}
		all, err := attachedOf(column)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(o tool.Attachment) bool { return o.Path == a.Path })
		if len(all) >= wire.MaxFiles {
			return tool.Refuse("%d files are attached already, and that is the most.", len(all))
		}
		return tx.exec("keep attached file", "UPDATE runs SET attached = ? WHERE id = ?", toJSON(append(all, a)), t.root.id)
	})
}

// attached are the files that go with the answer of a root run.
func (r *Runtime) attached(ctx context.Context, root string) ([]tool.Attachment, error) {
	var column string
	err := r.store.Read().QueryRowContext(ctx, "SELECT attached FROM runs WHERE id = ?", root).Scan(&column)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read attached files: %w", err)
	}
	return attachedOf(column)
}

func attachedOf(column string) (all []tool.Attachment, err error) {
	if column == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(column), &all); err != nil {
		return nil, fmt.Errorf("read attached files: %w", err)
	}
	return all, nil
}

// shown are the files that a conversation shows beneath an answer: those that go with it, and those that it names.
func (r *run) shown() []string {
	all, err := r.rt.attached(context.Background(), r.id)
	if err != nil {
		r.rt.log.Error("attached files of a run not read", "run_id", r.id, "error", err) // the answer counts more
	}
	var files []string
	for _, a := range all {
		files = append(files, a.Path)
	}
	for _, name := range r.rt.offered(r.answer) {
		if !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	return files[:min(len(files), wire.MaxFiles)]
}
