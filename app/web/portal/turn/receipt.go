package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/i18n"
	"gatehouse/views/inbox"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Receipts gives records of the log as pages show them.
func Receipts(ctx context.Context, rs []wire.Receipt, names Names) []ui.Receipt {
	agents := map[string]string{} // by run: only the first record of a call names its agent
	out := make([]ui.Receipt, 0, len(rs))
	for _, r := range rs {
		var b body
		_ = json.Unmarshal(r.Body, &b) // a body of another form still has its fields listed
		if b.Agent != "" {
			agents[r.RunID] = b.Agent
		}
		out = append(out, receipt(ctx, r, b, agents[r.RunID], names))
	}
	return out
}

// body is what pages look for in a record.
type body struct {
	Agent   string          `json:"agent"`
	Summary string          `json:"summary"`
	Reason  string          `json:"reason"`
	Why     string          `json:"why"`
	MS      int64           `json:"ms"`
	By      *wire.DecidedBy `json:"decided_by"`
	State   string          `json:"state"` // call.denied whose signature did not hold: where its request still stands

	Verdict     string `json:"verdict"`     // call.judged
	Failed      bool   `json:"failed"`      // call.judged
	Name        string `json:"name"`        // credential.leased
	Destination string `json:"destination"` // credential.leased

	Meta struct {
		Before string `json:"before"` // hash of what a write has replaced
	} `json:"meta"`
	Effects []struct {
		Kind   string `json:"kind"`
		Target string `json:"target"`
	} `json:"effects"` // call.finished
}

// nothing stands for the hash of a file that was not there.
const nothing = "-"

func receipt(ctx context.Context, r wire.Receipt, b body, agent string, names Names) ui.Receipt {
	p := ui.Receipt{
		Seq: r.Seq, Call: r.CallID, At: r.Time, Type: r.Type, Tool: r.Tool, Tier: r.Tier, Hash: r.Hash, Prev: r.PrevHash,
		Says: b.says(ctx, r.Type), Fields: fieldsOf(r.Body), Decided: b.By != nil,
		Refused: r.Type == "call.denied" && b.State != "",
	}
	if agent != "" {
		p.Actor = names(agent).Name
	}
	if b.replaced(r) && plain(r.CallID) {
		p.Back, p.Until = portal.PutBackPath(r.CallID), r.Time.Add(wire.KeptFor)
	}
	if r.Type == "call.finished" && len(b.Effects) == 1 && b.Effects[0].Kind == "written" {
		p.File = portal.FilePath(b.Effects[0].Target)
	}
	if b.MS > 0 {
		p.Took = ui.Duration(ctx, time.Duration(b.MS)*time.Millisecond)
	}
	return p
}

// replaced says whether a record is of a write that took the place of something.
func (b body) replaced(r wire.Receipt) bool {
	return r.Type == "call.finished" && (r.Tool == "file_write" || r.Tool == "file_restore") && b.Meta.Before != "" && b.Meta.Before != nothing
}

// says is the one line of a record: for a decision who made it and where, else what was done or why.
func (b body) says(ctx context.Context, kind string) string {
	if b.By != nil {
		where := inbox.Where(ctx, b.By.Channel)
		if b.Reason != "" {
			return i18n.T(ctx, "portal.receipt.by_saying", "who", b.By.Name, "where", where, "reason", b.Reason)
		}
		return i18n.T(ctx, "portal.receipt.by", "who", b.By.Name, "where", where)
	}
	switch {
	case kind == "call.started":
		return ""
	case kind == "call.judged":
		return ui.GuardianSays(ctx, ui.Verdict{Word: b.Verdict, Reason: b.Reason, Failed: b.Failed})
	case kind == "credential.leased":
		return i18n.T(ctx, "portal.receipt.leased", "name", b.Name, "to", b.Destination)
	case b.Summary != "":
		return i18n.Say(ctx, b.Summary)
	case b.Reason != "":
		return b.Reason
	}
	return card.Sentence(b.Why)
}

// fieldsOf lists what a record holds, by name; values that hold more than one thing stay JSON.
func fieldsOf(raw json.RawMessage) []ui.Pair {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	out := make([]ui.Pair, 0, len(all))
	for name, v := range all {
		if text, code := valueOf(v); text != "" {
			out = append(out, ui.Pair{Name: name, Value: text, Code: code})
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
	if json.Compact(&b, raw) != nil || slices.Contains([]string{"null", "[]", "{}"}, b.String()) {
		return "", false
	}
	return b.String(), true
}
