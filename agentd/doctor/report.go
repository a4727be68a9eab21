package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// State says how a finding stands.
type State string

// The states, from good to bad.
const (
	OK   State = "ok"
	Warn State = "warn" // it works, with less protection than it could have
	Fail State = "fail" // it does not hold, or will not work
)

// Finding is one thing that was looked at.
type Finding struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Text  string `json:"text"`           // what was found
	Mend  string `json:"mend,omitempty"` // what to do; empty when all is well
}

// Report is everything that was looked at, in a fixed order.
type Report struct {
	Time     time.Time `json:"time"` // UTC
	Worst    State     `json:"worst"`
	Findings []Finding `json:"findings"`
}

// Input says which server to look at.
type Input struct {
	Data  string // data folder
	State string // state directory
	Now   func() time.Time

	ModelName    string // empty: the team rehearses
	ModelBaseURL string // of the provider, where agentd knows it
	ProxySocket  string // of the model proxy
}

// Check looks at everything. It changes nothing but a folder for temporary files, which it removes.
func Check(ctx context.Context, in Input) Report {
	r := Report{Time: in.Now().UTC(), Worst: OK}
	for _, look := range []func(context.Context, Input) Finding{user, commands, network, clean, models, bypass, firewall, external, permissions, dataFolder, apart, disk, clock} {
		f := look(ctx, in)
		r.Findings = append(r.Findings, f)
		r.Worst = worse(r.Worst, f.State)
	}
	return r
}

func worse(a, b State) State {
	rank := map[State]int{OK: 0, Warn: 1, Fail: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// WriteText writes the report for a terminal.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%-4s  %-12s %s\n", f.State, f.Name, f.Text)
		if f.Mend != "" {
			fmt.Fprintf(&b, "%19s→ %s\n", "", f.Mend)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
