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
	Warn State = "warn" // it works; something should be done
	Fail State = "fail" // it does not work
)

// Finding is one thing that was looked at.
type Finding struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Text  string `json:"text"`           // what was found
	Mend  string `json:"mend,omitempty"` // what to do; empty when all is well
}

// Report is everything that was looked at, in order.
type Report struct {
	Time     time.Time `json:"time"` // UTC
	Worst    State     `json:"worst"`
	Findings []Finding `json:"findings"`
}

// Look looks at one thing. It fills in all but the name.
type Look func(ctx context.Context) Finding

// Check is one thing to look at.
type Check struct {
	Name string
	Look Look
}

// each is how long one thing may take.
const each = 15 * time.Second

// Run looks at everything. Of what it found, hide takes out what nobody may read.
func Run(ctx context.Context, now time.Time, checks []Check, hide func(string) string) Report {
	r := Report{Time: now.UTC(), Worst: OK}
	for _, c := range checks {
		one, cancel := context.WithTimeout(ctx, each)
		f := c.Look(one)
		cancel()
		f.Name, f.Text, f.Mend = c.Name, line(hide(f.Text)), line(hide(f.Mend))
		r.Findings = append(r.Findings, f)
		if rank[f.State] > rank[r.Worst] {
			r.Worst = f.State
		}
	}
	return r
}

var rank = map[State]int{OK: 0, Warn: 1, Fail: 2}

// line makes one line of a text.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// Failed is how many things do not work.
func (r Report) Failed() (n int) {
	for _, f := range r.Findings {
		if f.State == Fail {
			n++
		}
	}
	return n
}

// WriteText writes the report for a terminal.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%-4s  %-13s %s\n", f.State, f.Name, f.Text)
		if f.Mend != "" {
			fmt.Fprintf(&b, "%20s→ %s\n", "", f.Mend)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Good is a finding that all is well with.
func Good(format string, args ...any) Finding {
	return Finding{State: OK, Text: fmt.Sprintf(format, args...)}
}

// Doubtful is a finding that works and should be mended.
func Doubtful(mend, format string, args ...any) Finding {
	return Finding{State: Warn, Text: fmt.Sprintf(format, args...), Mend: mend}
}

// Bad is a finding that does not work until it is mended.
func Bad(mend, format string, args ...any) Finding {
	return Finding{State: Fail, Text: fmt.Sprintf(format, args...), Mend: mend}
}
