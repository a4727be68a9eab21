package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// call is one use of a tool, from the model's words to the result.
type call struct {
	noted
	run    *run
	ref    string
	reason string
	target string // agent_dispatch only
	cancel context.CancelCauseFunc
	// revived: a former life made the call. The gate may have settled it before anyone listened.
	revived bool
	files   *taint.Tracker  // from the moment the gate may see it
	read    []policy.Source // sources of the marked files it has read
}

const (
	maxReason = 500  // characters of what the agent said before, for the approval card
	maxResult = 2000 // characters of a result that pages show
	// maxToolName is how many bytes of a name are kept that no tool has.
	maxToolName = 64
	perStop     = 60 * time.Millisecond
	// dispatchTool is the tool whose calls become runs of other agents.
	dispatchTool = "agent_dispatch"
)

// calls gives every call of a reply an id of ours. A reply that names one call twice makes it once.
func (r *run) calls(reply llm.Reply) ([]*call, error) {
	var all []*call
	byRef := map[string]llm.Call{}
	for _, c := range reply.Calls {
		if same, ok := byRef[c.ID]; ok && same == c {
			continue
		}
		id, err := uuid.NewV7()
		if err != nil {
			return nil, fmt.Errorf("call id: %w", err)
		}
		ref := c.ID
		if _, taken := byRef[ref]; taken || ref == "" || r.knows(ref) {
			ref = id.String()
		}
		byRef[c.ID] = c
		n := noted{ID: id.String(), Ref: ref, Tool: r.toolName(c.Name), Args: c.Args, Agent: r.actor}
		all = append(all, r.newCall(n, reply.Text))
	}
	return all, nil
}

// toolName is the name that a model gave for a tool, as it goes on record, before people and to the model again. Of a tool
// that the agent does not have it may have written anything, also a secret.
func (r *run) toolName(name string) string {
	if slices.ContainsFunc(r.t.rt.d.Team.Tools(r.agent), func(d tool.Definition) bool { return d.Name == name }) {
		return name
	}
	return redact.Clip(name, maxToolName)
}

func (r *run) newCall(n noted, said string) *call {
	c := &call{noted: n, run: r, ref: n.Ref, reason: cut(said, maxReason)}
	if n.Tool == dispatchTool {
		var in policy.DispatchArgs
		if json.Unmarshal([]byte(n.Args), &in) == nil {
			c.target = in.Target
		}
	}
	return c
}

// by is the agent in whose name the call is made.
func (c *call) by() string { return cmp.Or(c.Agent, c.run.agent) }

// child is the run that the call delegated to, in this life of the process or a former one; nil when there is none.
func (c *call) child() *run {
	t := c.run.t
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.runs {
		if r.parentCall == c.ID {
			return r
		}
	}
	return nil
}

func (c *call) childID() string {
	if child := c.child(); child != nil {
		return child.id
	}
	return ""
}

// knows says whether an earlier step of this run used a provider's id: some begin anew with each answer.
func (r *run) knows(ref string) bool {
	for _, m := range r.messages {
		for _, c := range m.Calls {
			if c.ID == ref {
				return true
			}
		}
	}
	return false
}

// act makes the open calls: harmless ones side by side, each other one alone, in the order of the model.
func (r *run) act() error {
	for len(r.open) > 0 {
		n := r.sideBySide()
		if r.made += n; r.made > r.t.rt.limits.Calls {
			return &limited{fmt.Sprintf("more than %d tool calls", r.t.rt.limits.Calls)}
		}
		if err := r.together(r.open[:n]); err != nil {
			return err
		}
		r.open = r.open[n:]
	}
	return nil
}

// sideBySide is how many of the open calls may be made at once.
func (r *run) sideBySide() int {
	n := 0
	for n < len(r.open) && r.t.rt.green(r.open[n]) {
		n++
	}
	return max(n, 1)
}

func (rt *Runtime) green(c *call) bool {
	return rt.d.Tiers != nil && rt.d.Tiers.Tier(c.Tool, json.RawMessage(c.Args)) == policy.Green
}

// together makes calls at once and takes their results in order.
func (r *run) together(calls []*call) error {
	type result struct {
		out gate.Outcome
		err error
	}
	got := make([]chan result, len(calls))
	for i, c := range calls {
		got[i] = make(chan result, 1)
		go func() {
			out, err := r.do(c)
			got[i] <- result{out, err}
		}()
	}
	var first error
	for i, c := range calls {
		res := <-got[i]
		if res.err == nil && first == nil {
			res.err = r.took(c, res.out)
		}
		if first == nil {
			first = res.err
		}
	}
	return first
}

// do takes one call through the gate. When the run is stopped it does not wait for a tool that is slow to notice: the
// gate goes on watching it and writes its receipt.
func (r *run) do(c *call) (gate.Outcome, error) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	c.cancel = cancel
	if err := r.begin(c); err != nil {
		cancel(nil)
		return gate.Outcome{}, err
	}
	r.t.rt.flights.add(c)
	type result struct {
		out gate.Outcome
		err error
	}
	got := make(chan result, 1)
	r.t.rt.work.Go(func() {
		defer cancel(nil)
		defer r.t.rt.flights.remove(c)
		out, err := r.t.rt.doer.Do(ctx, r.gateCall(c), c.parking())
		if err == nil {
			r.trackFiles(c, out) // here, as nobody waits for a call whose run was stopped
		}
		got <- result{out, err}
	})
	select {
	case res := <-got:
		return res.out, res.err
	case <-r.ctx.Done():
	}
	late := time.NewTimer(perStop)
	defer late.Stop()
	select {
	case <-got:
	case <-late.C:
	}
	return gate.Outcome{}, context.Cause(r.ctx)
}

// begin finds out what must be known before the gate sees a call.
func (r *run) begin(c *call) error {
	var began time.Time
	if c.revived {
		var at int64
		row := r.t.rt.d.Store.Read().QueryRowContext(context.WithoutCancel(r.ctx), "SELECT created_at FROM run_calls WHERE id = ?", c.ID)
		if err := row.Scan(&at); err != nil {
			return fmt.Errorf("read call: %w", err)
		}
		began = time.UnixMicro(at)
	}
	c.track(began)
	return nil
}

// track begins to follow the files of a call that can have changed some since began; zero: from now on.
func (c *call) track(began time.Time) {
	made := taint.Call{ID: c.ID, Tool: c.Tool, Args: c.Args}
	c.files = c.run.t.rt.files.Track(context.WithoutCancel(c.run.ctx), made, began)
}

func (r *run) gateCall(c *call) gate.Call {
	cfg := r.t.rt.d.Config()
	return gate.Call{
		ID: c.ID, RunID: r.id, RootRunID: r.t.root.id, SessionID: r.t.session, Agent: c.by(), Tool: c.Tool,
		Args: json.RawMessage(c.Args), Reason: c.reason, Level: min(r.level(cfg), levelOf(cfg, c.by())), Origin: r.t.origin,
		Depth: r.depth, Taint: r.sources().With(c.files.Foreseen()), Request: r.t.request(),
	}
}

// parking is what the gate tells when the call begins or ends to wait for a person. A process that closes does not
// wait along.
func (c *call) parking() func(bool) {
	var release func() bool
	return func(begins bool) {
		c.run.park(begins)
		c.run.wait(begins)
		if begins {
			release = context.AfterFunc(c.run.t.rt.closing, func() { c.cancel(gate.ErrClosing) })
			return
		}
		c.files.Restart()
		if release != nil {
			release()
		}
	}
}

// took puts a result on record and before the model.
func (r *run) took(c *call, out gate.Outcome) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if errors.Is(context.Cause(r.t.rt.closing), gate.ErrClosing) && out.State == wire.ToolStopped {
		return gate.ErrClosing
	}
	result := r.words(c, out)
	warning, tooOften := r.loops.saw(c.Tool, c.Args, result)
	text := result + warning
	now, step := r.t.rt.d.Now(), r.steps
	r.messages = append(r.messages, llm.Message{Role: llm.ToolReply, Text: text, CallID: c.ref})
	r.absorb(c, out)
	r.t.later(func(tx txn) error {
		if err := insertEntry(tx, entry{RunID: r.id, Kind: kindTool, Step: step, Text: text, CallID: c.ID, At: now}); err != nil {
			return err
		}
		return tx.exec("keep result", "UPDATE run_calls SET result = ?, state = ?, ended_at = iif(ended_at = 0, ?, ended_at) WHERE id = ?",
			cut(result, maxResult), string(out.State), micros(now), c.ID)
	})
	if child := c.childID(); c.revived {
		r.t.emit(wire.EventTool, func(n int64) any {
			return wire.ToolData{N: n, RunID: r.id, Agent: c.by(), CallID: c.ID, Tool: c.Tool, Tier: out.Tier, State: out.State, Summary: out.Result.Summary, Target: c.target, Child: child}
		})
	}
	if tooOften {
		return &limited{fmt.Sprintf("the same call of %s again and again with the same result", c.Tool)}
	}
	return nil
}

// words is what the model reads of an outcome: the text, marked when it was not done, and what a person changed.
func (r *run) words(c *call, out gate.Outcome) string {
	if out.State != wire.ToolDone {
		return "[" + string(out.State) + "] " + out.Text
	}
	if out.Tier == string(policy.Green) {
		return out.Text // nobody was asked
	}
	all, err := r.t.rt.d.Receipts.OfRuns(context.WithoutCancel(r.ctx), r.id)
	if err != nil {
		r.t.rt.d.Log.Error("receipts of a call not read", "call_id", c.ID, "error", err)
		return out.Text
	}
	for _, rc := range all {
		var body struct {
			Args json.RawMessage `json:"args"`
		}
		if rc.CallID == c.ID && rc.Type == "call.started" && json.Unmarshal(rc.Body, &body) == nil && len(body.Args) > 0 {
			return out.Text + "\n\n[Runtime: a person edited this call before allowing it. What ran: " + string(body.Args) + "]"
		}
	}
	return out.Text
}

// cut shortens s to n characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
