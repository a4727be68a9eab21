package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/team"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// The tools by which a run begins, follows and ends sub-agents.
const (
	spawnTool   = "subagent_spawn"
	checkTool   = "subagent_check"
	subStopTool = "subagent_stop"
)

// keptAfter is how long the conversation of a sub-agent that has ended stays in the list before it is archived.
const keptAfter = time.Hour

// nobody stands in place of the run that was told of the end of a sub-agent, when no run needs to be.
const nobody = "-"

// Spawn begins a sub-agent for a call of subagent_spawn that is with the gate, and gives the id of its run. It works on task
// alone, in a conversation of its own, as agent; empty: as the agent that calls. A repeat with the same call id begins no
// second one. A refusal is a *tool.Refused.
func (r *Runtime) Spawn(ctx context.Context, callID, runID, agent, task string) (id string, err error) {
	c := r.inFlight.find(callID)
	if c == nil || c.run.id != runID {
		return "", fmt.Errorf("spawn: run %s does not make the call %s", runID, callID)
	}
	known, err := subsWhere(ctx, r.store.Read(), "s.call_id = ?", callID)
	if err != nil || len(known) > 0 {
		return firstID(known), err
	}
	if agent, err = r.maySpawn(c.run, agent); err != nil {
		return "", err
	}
	m, err := subMessage(c.run, agent, task, r.now())
	if err != nil {
		return "", err
	}
	failpoint.Hit("subagent asked")
	if err := write(ctx, r.store, func(tx txn) error { return r.insertSub(tx, c, m) }); err != nil {
		return "", err
	}
	failpoint.Hit("subagent spawned")
	return m.RunID, nil
}

func firstID(all []subRow) string {
	if len(all) == 0 {
		return ""
	}
	return all[0].ID
}

// maySpawn says as which agent a sub-agent would work, and refuses what no run may begin.
func (r *Runtime) maySpawn(from *run, agent string) (string, error) {
	switch agent = cmp.Or(agent, from.agent); {
	case from.t.sub != nil:
		return "", &tool.Refused{Text: "You are a sub-agent: do the task yourself, and say at the end what is left."}
	case from.t.origin.Report:
		return "", &tool.Refused{Text: "This turn only passes on what sub-agents have found. Ask the owner before you begin more of them."}
	case agent == team.Dispatcher:
		return "", &tool.Refused{Text: "The front desk has no tools of its own. Name the colleague who shall do it, as agent."}
	case agent != from.agent:
		if err := r.mayHandTo(from, agent); err != nil {
			return "", err
		}
	}
	if !from.t.countHandoff(r.limits.Handed) {
		const many = "Of this message %d tasks were handed on already; answer with what you have."
		return "", &tool.Refused{Text: fmt.Sprintf(many, r.limits.Handed)}
	}
	return agent, nil
}

// subMessage is the task as the first message of the conversation of a sub-agent.
func subMessage(from *run, agent, task string, now time.Time) (m wire.ChatMessage, err error) {
	m = wire.ChatMessage{Agent: agent, Text: task, Time: now, From: from.t.origin}
	for _, id := range []*string{&m.RunID, &m.SessionID} {
		v, err := uuid.NewV7()
		if err != nil {
			return m, fmt.Errorf("run id: %w", err)
		}
		*id = v.String()
	}
	return m, nil
}

// insertSub puts a sub-agent on record with its run and all that stands behind it; the run starts once tx is durable.
func (r *Runtime) insertSub(tx txn, c *call, m wire.ChatMessage) error {
	if err := r.roomFor(tx, c.run.t); err != nil {
		return err
	}
	seq, _, err := r.insert(tx, m)
	if err != nil {
		return err
	}
	from := c.run
	sub := &subagent{
		callID: c.ID, parentRun: from.id, parentRoot: from.t.root.id, parentSession: from.t.session, chain: from.chain(),
	}
	err = errors.Join(
		tx.exec("keep sub-agent", `INSERT INTO subagents (id, call_id, parent_run, parent_root, parent_session, chain, state, told,
			created_at, ended_at) VALUES (?,?,?,?,?,?,'','',?,0)`,
			m.RunID, sub.callID, sub.parentRun, sub.parentRoot, sub.parentSession, toJSON(sub.chain), micros(m.Time)),
		tx.exec("keep sub-agent", "UPDATE runs SET level_cap = ?, budget_root = ? WHERE seq = ?",
			from.t.levelCap, from.t.budgetRoot(), seq),
	)
	behind := from.sources()
	for _, s := range behind {
		err = errors.Join(err, taint.Record(r.store, tx.tx, m.RunID, s, m.Time))
	}
	if err != nil {
		return err
	}
	levelCap, budget := from.t.levelCap, from.t.budgetRoot()
	r.store.OnCommit(tx.tx, func() {
		t := r.newTree(m, seq)
		t.first, t.levelCap, t.budget = true, levelCap, budget
		t.root.taint = append(t.root.taint, behind...)
		t.beSub(sub)
		r.enqueue(t)
	})
	return nil
}

// roomFor refuses a sub-agent where there are as many as there may be: of this server, of one message, or of what machines send,
// which leaves half of them for people. One that waits for a person counts.
func (r *Runtime) roomFor(tx txn, t *tree) error {
	var all, own, machines int
	err := tx.row(`SELECT count(*), count(iif(s.parent_root = ?, 1, NULL)), count(iif(r.origin ->> 'channel' IN (?, ?), 1, NULL))
		FROM subagents s JOIN runs r ON r.id = s.id WHERE s.state = ''`, t.root.id, scheduleChannel, hookChannel).
		Scan(&all, &own, &machines)
	if err != nil {
		return fmt.Errorf("count sub-agents: %w", err)
	}
	const (
		many      = "%d sub-agents are at work already, and that is the most. Wait for one of them, or do it yourself."
		manyOwn   = "%d sub-agents of this message are at work already, and that is the most. Wait for one of them, or do it yourself."
		manyAlone = "%d sub-agents of schedules and hooks are at work already, and that is the most. Wait, or do it yourself."
	)
	switch {
	case all >= r.limits.Spawned:
		return &tool.Refused{Text: fmt.Sprintf(many, all)}
	case own >= r.limits.SpawnedOf:
		return &tool.Refused{Text: fmt.Sprintf(manyOwn, own)}
	case t.byMachine() && machines >= max(1, r.limits.Spawned/2):
		return &tool.Refused{Text: fmt.Sprintf(manyAlone, machines)}
	}
	return nil
}

// beSub makes a tree that has not begun the work of a sub-agent.
func (t *tree) beSub(s *subagent) {
	t.sub, t.root.lane = s, t.rt.spawned
	t.root.watch = newStopwatch(t.rt.limits.SubWall, 0, t.root.outOfTime)
}

// takeUpSub makes a tree the work of a sub-agent again, if it was.
func (t *tree) takeUpSub(ctx context.Context) error {
	known, err := subsWhere(ctx, t.rt.store.Read(), "s.id = ?", t.root.id)
	if err == nil && len(known) > 0 {
		t.beSub(&known[0].subagent)
	}
	return err
}

// wall is how long the run may be at work.
func (r *run) wall() time.Duration {
	if r.t.sub != nil {
		return r.rt.limits.SubWall
	}
	return r.rt.limits.Wall
}

// chain are the agents that stand behind what this run begins: its own, and those of the runs above it.
func (r *run) chain() []string {
	all := []string{r.agent}
	for p := r.parent; p != nil; p = p.parent {
		all = append(all, p.agent)
	}
	return all
}

// budgetRoot is the root run whose budgets the tree draws from.
func (t *tree) budgetRoot() string { return cmp.Or(t.budget, t.root.id) }

// subRules is what a sub-agent is told of its place, behind everything that its agent is told.
const subRules = `You work as a sub-agent now, alone, on the one task below; nobody reads along and nobody answers. Do the whole of ` +
	`it. Your last message is the result that is passed on: give the facts, figures, paths and addresses, and say what could not be done.`

// tools are what the run may call: a sub-agent hands nothing on and begins no others.
func (r *run) tools() []tool.Definition {
	all := r.rt.team.Tools(r.rt.viewOf(r.agent, team.OriginOf(r.t.origin)))
	if r.t.sub == nil {
		return all
	}
	var own []tool.Definition
	for _, d := range all {
		switch d.Name {
		case dispatchTool, spawnTool, checkTool, subStopTool:
		default:
			own = append(own, d)
		}
	}
	return own
}

// request asks the model for the next step of the run.
func (r *run) request() llm.Request {
	return llm.Request{Agent: r.agent, Run: r.t.root.id, Messages: r.messages, Tools: r.tools()}
}
