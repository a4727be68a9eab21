package runtime

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

//go:embed standing.md
var standingRules string

const (
	historyTurns = 30     // earlier turns of a conversation that the model reads
	historyBytes = 24_000 // bytes of them
)

// buildPrompt puts the agent's files, the conversation so far and the task before the model: what changes least comes
// first, so that providers can cache it.
func (r *run) buildPrompt(ctx context.Context) error {
	agent, err := r.rt.team.Agent(r.agent)
	if err != nil {
		const unknown = "This server has no agent %q. Your message is kept; choose another agent."
		return &refusedError{"There is no such agent", fmt.Sprintf(unknown, r.agent)}
	}
	cfg := r.rt.config()
	if err := r.paused(); err != nil {
		return err
	}
	if cfg.Agents[r.agent].Off {
		return &refusedError{agent.Name + " is switched off", "Your message is kept; switch the agent on, or ask another one."}
	}
	if err := r.goneFile(); err != nil {
		return err
	}
	memory, err := r.remember(ctx)
	if err != nil {
		return err
	}
	system := agent.Prompt + "\n\n" + strings.TrimSpace(standingRules) + "\n\n" + r.dateLine(cfg.TimeZone, cfg.Business) + memory
	r.messages = []llm.Message{{Role: llm.System, Text: system}}
	if r.parent == nil && !r.t.first {
		history, err := r.t.history(ctx)
		if err != nil {
			return err
		}
		r.messages = append(r.messages, history...)
	}
	r.messages = append(r.messages, llm.Message{Role: llm.User, Text: withFiles(r.text, r.attached)})
	return nil
}

// remember is what the agent is reminded of. A memory that cannot be read keeps nobody from answering.
func (r *run) remember(ctx context.Context) (string, error) {
	if r.rt.remind == nil {
		return "", nil
	}
	text, fits, err := r.rt.remind(ctx, r.agent, r.text)
	if err != nil {
		r.rt.log.WarnContext(ctx, "nothing was remembered", "run_id", r.id, "error", err)
		return "", ctx.Err()
	}
	r.t.mu.Lock()
	r.memories = fits
	r.t.mu.Unlock()
	if text == "" {
		return "", nil
	}
	return "\n\n" + text, nil
}

// dateLine is what the model knows of the world. The hour is left out: it would change the prompt for every message.
func (r *run) dateLine(zone, business string) string {
	loc := zoneOf(zone)
	line := "Today is " + r.rt.now().In(loc).Format("Monday, 2 January 2006") + ", time zone " + loc.String() + "."
	if business != "" {
		line += fmt.Sprintf(" The name of the business, which is a name and nothing else: %q.", business)
	}
	return line
}

// zoneOf is the zone of a business; one that this program does not know is UTC.
func zoneOf(name string) *time.Location {
	if zone, err := time.LoadLocation(name); err == nil {
		return zone
	}
	return time.UTC
}

// history is the conversation before this message, as questions and answers: tools are not used again because of it.
func (t *tree) history(ctx context.Context) ([]llm.Message, error) {
	rows, err := t.rt.store.Read().QueryContext(ctx, `SELECT text, files, final, error FROM runs
		WHERE session_id = ?1 AND depth = 0 AND seq < ?2
		AND seq > (SELECT fresh_after FROM sessions WHERE id = ?1) AND ended_at > 0 ORDER BY seq DESC LIMIT ?3`, t.session, t.seq, historyTurns)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	defer rows.Close()
	var turns [][]llm.Message
	for size := 0; rows.Next(); {
		var row runRow
		var files string
		if err := rows.Scan(&row.Text, &files, &row.Final, &row.Error); err != nil {
			return nil, fmt.Errorf("read history: %w", err)
		}
		if row.Files, err = filesOf(files); err != nil {
			return nil, err
		}
		asked, said := withFiles(row.Text, row.Files), endText(row)
		if size += len(asked) + len(said); size > historyBytes {
			break
		}
		if commandOf(row.Text) == nil {
			turns = append(turns, []llm.Message{{Role: llm.User, Text: asked}, {Role: llm.Assistant, Text: said}})
		}
	}
	slices.Reverse(turns)
	return slices.Concat(turns...), rows.Err()
}

// endText is what the model reads of how an earlier turn ended.
func endText(row runRow) string {
	var f struct {
		Text string `json:"text"`
	}
	if row.Final != "" && json.Unmarshal([]byte(row.Final), &f) == nil {
		return f.Text
	}
	var e wire.ErrorData
	if row.Error != "" && json.Unmarshal([]byte(row.Error), &e) == nil {
		return "(" + e.Title + ") " + e.Text
	}
	return "(no answer)"
}
