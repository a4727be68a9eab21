package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

const (
	sessionsAtOnce = 50
	turnsAtOnce    = 10
)

// conversations writes those that were archived, or those that were not.
func (a archive) conversations(archived bool) error {
	p := wire.ListParams{Archived: archived, Limit: sessionsAtOnce}
	for {
		page, err := ask[wire.SessionsResult](a, wire.MethodSessionsList, p)
		if err != nil {
			return err
		}
		for _, s := range page.Items {
			if err := a.conversation(s); err != nil {
				return err
			}
		}
		if p.After = page.Next; p.After == "" {
			return nil
		}
	}
}

// conversation writes one. It may be deleted meanwhile: what is written of it then ends early.
func (a archive) conversation(s wire.SessionInfo) error {
	name := fmt.Sprintf("conversations/%s-%s-%s", s.CreatedAt.UTC().Format("2006-01-02"), slug(s.Title), s.ID)
	starts, err := a.pages(s)
	if isGone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := a.asMarkdown(name+".md", s, starts); err != nil {
		return err
	}
	if err := a.asJSON(name+".json", s, starts); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last.Conversations++
	return nil
}

// pages finds where the pages of turns begin, the oldest first: turns are asked for from the end. Each is named by the run
// before which it ends.
func (a archive) pages(s wire.SessionInfo) ([]string, error) {
	starts, before := []string{""}, ""
	for {
		got, err := ask[wire.Session](a, wire.MethodSessionGet, wire.SessionParams{SessionID: s.ID, Before: before, Limit: turnsAtOnce})
		if err != nil {
			return nil, err
		}
		if !got.More || len(got.Turns) == 0 {
			return starts, nil
		}
		before = got.Turns[0].Run.ID
		starts = append([]string{before}, starts...)
	}
}

// isGone reports whether a conversation is not there any more.
func isGone(err error) bool {
	var no *wire.RPCError
	return errors.As(err, &no) && no.Code == "not_found"
}

// turns gives every turn of a conversation, oldest first, a page of them at a time.
func (a archive) turns(s wire.SessionInfo, pages []string, do func(wire.Turn) error) error {
	for _, before := range pages {
		got, err := ask[wire.Session](a, wire.MethodSessionGet, wire.SessionParams{SessionID: s.ID, Before: before, Limit: turnsAtOnce})
		if isGone(err) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, t := range got.Turns {
			if err := do(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// asJSON writes a conversation with every step of it: an object with the conversation and its turns.
func (a archive) asJSON(name string, s wire.SessionInfo, pages []string) error {
	w, err := a.file(name)
	if err != nil {
		return err
	}
	head, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if _, err := fmt.Fprintf(w, "{\"conversation\":%s,\n\"turns\":[", redact.Frame(head)); err != nil {
		return err
	}
	between := "\n"
	err = a.turns(s, pages, func(t wire.Turn) error {
		raw, err := json.Marshal(t)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		_, err = fmt.Fprintf(w, "%s%s", between, redact.Frame(raw))
		between = ",\n"
		return err
	})
	if err == nil {
		_, err = io.WriteString(w, "\n]}\n")
	}
	return err
}

// asMarkdown writes what was said, and a line for each thing that was done.
func (a archive) asMarkdown(name string, s wire.SessionInfo, pages []string) error {
	w, err := a.file(name)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "# %s\n", redact.Text(s.Title)); err != nil {
		return err
	}
	return a.turns(s, pages, func(t wire.Turn) error {
		_, err := io.WriteString(w, redact.Text(markdown(t)))
		return err
	})
}

// markdown is a turn as one reads it.
func markdown(t wire.Turn) string {
	var b strings.Builder
	who := t.From.Email
	if who == "" {
		who = "You"
	}
	fmt.Fprintf(&b, "\n## %s, %s\n\n%s\n", who, t.Time.UTC().Format(time.RFC3339), strings.TrimSpace(t.Text))
	for _, name := range t.Files {
		fmt.Fprintf(&b, "\n- Attached: %s\n", name)
	}
	for _, c := range t.Run.Calls {
		if c.Summary != "" {
			fmt.Fprintf(&b, "\n- %s: %s (%s)\n", c.Agent, c.Summary, c.State)
		}
	}
	switch {
	case t.Run.Final != nil:
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", t.Run.Agent, strings.TrimSpace(t.Run.Final.Text))
	case t.Run.Error != nil:
		fmt.Fprintf(&b, "\n### %s\n\n%s. %s\n", t.Run.Agent, t.Run.Error.Title, t.Run.Error.Detail)
	}
	return b.String()
}

// slug makes a name fit for a file, on any system.
func slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(redact.Text(title)) {
		switch {
		case b.Len() >= 40:
			return strings.Trim(b.String(), "-")
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if name := strings.Trim(b.String(), "-"); name != "" {
		return name
	}
	return "conversation"
}
