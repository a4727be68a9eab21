package filewrite

import (
	"errors"
	"fmt"

	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// Look says whether a write can be taken back, and what that would change now. It changes nothing. Call, path and what it
// says are those of the write, as far as it is kept.
func (t *Tool) Look(callID string) (wire.Change, error) {
	c := wire.Change{CallID: callID, State: wire.ChangeGone}
	if !callName.MatchString(callID) {
		return c, nil
	}
	k, ok, err := t.kept.keptAs(callID)
	if err != nil || !ok {
		return c, err
	}
	c.Path, c.Time, c.Until = k.Path, k.Time, k.Time.Add(wire.KeptFor)
	m, err := t.kept.meta(callID)
	if err != nil {
		return c, fmt.Errorf("look at a kept write: %w", err)
	}
	now, hash, err := t.present(m.Rel)
	if err != nil {
		return c, err
	}
	if c.Now, c.State = hash, m.stands(hash); c.State != wire.ChangeKept && c.State != wire.ChangeLater {
		return c, nil
	}
	earlier, err := t.kept.earlier(callID, m)
	if no := new(tool.Refused); errors.As(err, &no) {
		c.State = wire.ChangeGone
		return c, nil
	}
	if err != nil {
		return c, err
	}
	d := diffOf(m.Rel, string(now), string(earlier), hash == none)
	c.Diff = &wire.Diff{Path: m.Rel, Unified: d.text, New: hash == none, Added: d.added, Removed: d.removed}
	return c, nil
}

// stands is how a write stands to what is there now, by its hash.
func (m meta) stands(now string) wire.ChangeState {
	switch {
	case m.Before == none:
		return wire.ChangeNew
	case now == m.Before:
		return wire.ChangeSame
	case now != m.After:
		return wire.ChangeLater
	}
	return wire.ChangeKept
}
