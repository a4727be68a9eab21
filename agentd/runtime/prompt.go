package runtime

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
)

//go:embed standing.md
var standingRules string

// buildPrompt puts the agent's files, the conversation so far and the task before the model: what changes least comes
// first, so that providers can cache it.
func (r *run) buildPrompt(ctx context.Context) error {
	agent, err := r.rt.team.Agent(r.agent)
	if err != nil {
		return noAgent(r.agent, err)
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
	system, err := r.system(ctx, agent, cfg)
	if err != nil {
		return err
	}
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

// system is what stands above the conversation. Where a stranger writes, it holds nothing of memory and names no colleague: what the
// model reads, it can be talked into saying.
func (r *run) system(ctx context.Context, agent team.Agent, cfg wire.Config) (string, error) {
	if r.t.origin.Stranger() {
		return agent.Public + "\n\n" + strangerRules + "\n\n" + r.dateLine(cfg.TimeZone, cfg.Business), nil
	}
	memory, err := r.remember(ctx)
	if err != nil {
		return "", err
	}
	system := agent.Prompt + "\n\n" + strings.TrimSpace(standingRules) + "\n\n" + r.dateLine(cfg.TimeZone, cfg.Business) + memory
	if r.t.sub != nil {
		return system + "\n\n" + subRules, nil
	}
	return system + r.rt.colleagues(r.agent), nil
}

// noAgent says why an agent cannot work: its files are wrong, or it is not in the team.
func noAgent(id string, err error) error {
	if errors.Is(err, team.ErrBroken) {
		const broken = "The files of the agent %q are wrong. Your message is kept; its page says what is wrong."
		return &refusedError{"This agent cannot work", fmt.Sprintf(broken, id)}
	}
	const unknown = "This server has no agent %q. Your message is kept; choose another agent."
	return &refusedError{"There is no such agent", fmt.Sprintf(unknown, id)}
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
