package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gatehouse/agentd/wire"
)

// command answers a message without a model.
type command func(t *tree) (string, error)

// commandOf finds the command that a message is; nil when it is for a model.
func commandOf(text string) command {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "/stop":
		return (*tree).commandStop
	case "/new":
		return (*tree).commandNew
	case "/status":
		return (*tree).commandStatus
	case "/help":
		return (*tree).commandHelp
	}
	return nil
}

// command runs the command that the tree's message is. It waits for no lane, so it works while all are busy.
func (t *tree) command() error {
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	t.root.recordState(wire.RunRunning)
	text, err := commandOf(t.root.text)(t)
	if err != nil {
		return err
	}
	t.root.answer, t.root.finished = text, true
	t.root.checked.Verdict = wire.VerdictNothingRan
	return nil
}

func (t *tree) commandStop() (string, error) {
	n, err := t.stopItsSubs()
	if err != nil {
		return "", err
	}
	for _, other := range t.otherTrees() {
		t.rt.stopTree(other, &stoppedError{by: t.origin})
		select {
		case <-other.done:
			n++
		case <-t.ctx.Done():
			return "", context.Cause(t.ctx)
		}
	}
	switch n {
	case 0:
		return "Nothing was running in this conversation.", nil
	case 1:
		return "Stopped 1 run of this conversation.", nil
	}
	return fmt.Sprintf("Stopped %d runs of this conversation.", n), nil
}

// stopItsSubs stops the sub-agents of the conversation, and says how many they were.
func (t *tree) stopItsSubs() (int, error) {
	open, err := t.rt.openSubsOf(t.ctx, "parent_session", t.session)
	if err != nil || len(open) == 0 {
		return 0, err
	}
	return len(open), t.write(func(tx txn) error {
		for _, s := range open {
			if err := t.rt.stopSub(tx, s.ID, t.origin); err != nil {
				return err
			}
		}
		return nil
	})
}

// otherTrees are the other open runs of the conversation, the newest first: what waits must not begin while what runs
// is being stopped.
func (t *tree) otherTrees() []*tree {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	var all []*tree
	for _, other := range t.rt.trees {
		if other != t && other.session == t.session && (commandOf(other.root.text) == nil || !other.byPerson()) {
			all = append(all, other)
		}
	}
	slices.SortFunc(all, func(a, b *tree) int { return int(b.seq - a.seq) })
	return all
}

func (t *tree) commandNew() (string, error) {
	err := t.write(func(tx txn) error {
		return tx.exec("start afresh", "UPDATE sessions SET fresh_after = ? WHERE id = ?", t.seq, t.session)
	})
	if err != nil {
		return "", err
	}
	return "Started afresh: what was said before stays readable here, but the team no longer reads it.", nil
}

const (
	statusText = "- Model: %s\n" +
		"- Runs at work on this server: %d, waiting for a person: %d\n" +
		"- Open in this conversation: %d\n" +
		"- Autonomy level by default: %d (configuration %d)"
	helpText = "Write to the team in your own words. Commands:\n" +
		"- `/stop` stops what runs in this conversation\n" +
		"- `/new` starts afresh\n" +
		"- `/status` says what is going on\n" +
		"- `/restore ID` puts back what a write has replaced\n" +
		"- `/help` shows this\n\n" +
		"The team:"
)

func (t *tree) commandStatus() (string, error) {
	active, parked := t.rt.Active()
	here := 0
	for _, other := range t.otherTrees() {
		if other.session == t.session {
			here++
		}
	}
	model := t.rt.model.Name()
	if t.rt.model.Rehearsal() {
		model = "the built-in rehearsal model"
	}
	cfg := t.rt.config()
	return fmt.Sprintf(statusText, model, active-1, parked, here, cfg.DefaultLevel, cfg.Version), nil // without this run
}

func (t *tree) commandHelp() (string, error) {
	var b strings.Builder
	b.WriteString(helpText)
	for _, a := range t.rt.team.Agents() {
		fmt.Fprintf(&b, "\n- %s %s: %s", a.Emoji, a.Name, a.Description)
	}
	return b.String(), nil
}
