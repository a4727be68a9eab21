package gatetest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// Args are what the fakes take. Tier is what the call claims to be; Mode how it behaves.
type Args struct {
	Tier string `json:"tier"`
	Key  string `json:"key"`
	Mode string `json:"mode,omitempty"`
}

const schema = `{"type":"object","additionalProperties":false,"required":["tier","key"],"properties":{
	"tier":{"type":"string"},"key":{"type":"string","maxLength":100},"mode":{"type":"string"}}}`

// Fake is a tool whose only effect is a line in the ledger.
type Fake struct {
	Name   string
	Once   bool // Idempotent: a call id that is in the ledger does nothing new
	Ledger *Ledger
	Limit  time.Duration
	// Began is called, when set, before the effect: tests wait for it, or hold the tool there.
	Began func(ctx context.Context, p gate.Permit, args json.RawMessage)
}

// Definition implements gate.Tool.
func (f *Fake) Definition() tool.Definition {
	return tool.Definition{Name: f.Name, Doc: "Does one thing.", Args: json.RawMessage(schema), Idempotent: f.Once, Timeout: f.Limit}
}

// Classify implements gate.Tool: the tier is what the arguments say.
func (f *Fake) Classify(args json.RawMessage) policy.Class {
	var in Args
	if err := json.Unmarshal(args, &in); err != nil {
		return policy.Refuse("fake.call.unreadable", "arguments do not fit")
	}
	switch in.Mode {
	case "classify-panics":
		panic("on purpose")
	case "classify-hangs":
		select {}
	}
	return policy.Class{Tier: policy.Tier(in.Tier), Action: "fake.thing.do", Says: "Do " + in.Key}
}

// Run implements gate.Tool.
func (f *Fake) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, err
	}
	if f.Began != nil {
		f.Began(ctx, p, args)
	}
	var in Args
	if err := json.Unmarshal(args, &in); err != nil {
		return tool.Result{}, err
	}
	if done, err := f.done(p); done || err != nil {
		return result(in), err
	}
	failpoint.Hit("tool-before")
	if err := f.Ledger.Append(p.CallID(), args); err != nil {
		return tool.Result{}, err
	}
	failpoint.Hit("tool-after")
	return behave(ctx, in)
}

// done says whether an idempotent tool has done this call before.
func (f *Fake) done(p gate.Permit) (bool, error) {
	if !f.Once {
		return false, nil
	}
	return f.Ledger.Has(p.CallID())
}

func result(in Args) tool.Result {
	return tool.Result{Text: "did " + in.Key, Summary: "Did " + in.Key, Effects: []tool.Effect{{Kind: "ran", Target: in.Key, Count: 1}}}
}

func behave(ctx context.Context, in Args) (tool.Result, error) {
	r := result(in)
	switch in.Mode {
	case "fails":
		return tool.Result{}, errors.New("the inner workings broke at /secret/path")
	case "refuses":
		return tool.Result{}, &tool.Refused{Text: "there is no " + in.Key}
	case "panics":
		panic("on purpose")
	case "hangs":
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	case "big":
		r.Text = strings.Repeat("a line of output\n", 10<<20/17)
	case "huge":
		r.Text = strings.Repeat("a line of output\n", 1<<20)
	case "across": // a credential lies across the most that is kept of one call
		r.Text = strings.Repeat("a line of output", 1<<20)[10:] + " ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36] + " and more"
	case "outside":
		r.Meta = map[string]any{gate.MetaOutside: true}
	case "odd-meta":
		r.Meta = map[string]any{"n": uint64(1) << 60}
	}
	return r, nil
}

// Watched is a Fake that measures a file before it acts and stages a change to it: both notice when the file changes
// between the question and the act.
type Watched struct {
	Fake
	File string
}

// Measure freezes the content of the file.
func (w *Watched) Measure(_ context.Context, args json.RawMessage) (gate.Measured, error) {
	b, err := os.ReadFile(w.File)
	if err != nil {
		return gate.Measured{}, &tool.Refused{Text: "there is no such file"}
	}
	m := gate.Measured{Facts: []tool.Fact{{Name: "bytes", Value: int64(len(b)), Text: "some bytes"}}}
	m.Frozen, err = json.Marshal(map[string]string{"content": string(b)})
	if strings.Contains(string(b), "critical") {
		m.Raise = policy.Class{Tier: policy.CriticalRed, Why: "the file matters"}
	}
	return m, err
}
