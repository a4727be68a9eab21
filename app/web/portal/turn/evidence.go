package turn

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"gatehouse/agentd/wire"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Evidence is the panel below an answer, without its receipts.
func Evidence(run string, f wire.FinalData) ui.Evidence {
	e := ui.Evidence{
		Run: run, Verdict: string(f.Verdict), Chain: ui.Chain{State: "unchecked", Href: portal.RunPath(run)},
		RunHref: portal.RunPath(run), Print: portal.RunPath(run) + "#receipts",
	}
	for _, c := range f.Claims {
		e.Claims = append(e.Claims, ui.Claim{Sentence: c.Sentence, Verdict: string(c.Verdict), Receipts: c.Receipts})
	}
	return e
}

// Receipts gives records of the log as pages show them.
func Receipts(rs []wire.Receipt) []ui.Receipt {
	out := make([]ui.Receipt, 0, len(rs))
	for _, r := range rs {
		out = append(out, receipt(r))
	}
	return out
}

func receipt(r wire.Receipt) ui.Receipt {
	p := ui.Receipt{
		Seq: r.Seq, At: r.Time, Type: r.Type, Tool: r.Tool, Tier: r.Tier, Hash: r.Hash, Prev: r.PrevHash,
	}
	fields := fieldsOf(r.Body)
	for _, f := range fields {
		switch {
		case f.Name == "summary" || f.Name == "says" || f.Name == "reason" && p.Says == "":
			p.Says = f.Value
		case f.Name == "agent":
			p.Actor = f.Value
		}
	}
	p.Fields = fields
	return p
}

// fieldsOf lists what a record holds, by name; values that hold more than one thing stay JSON.
func fieldsOf(body json.RawMessage) []ui.Pair {
	var all map[string]json.RawMessage
	if json.Unmarshal(body, &all) != nil {
		return nil
	}
	out := make([]ui.Pair, 0, len(all))
	for name, raw := range all {
		if v, code := valueOf(raw); v != "" {
			out = append(out, ui.Pair{Name: name, Value: v, Code: code})
		}
	}
	slices.SortFunc(out, func(a, b ui.Pair) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func valueOf(raw json.RawMessage) (text string, code bool) {
	if json.Unmarshal(raw, &text) == nil {
		return text, false
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil || b.String() == "null" {
		return "", false
	}
	return b.String(), true
}
