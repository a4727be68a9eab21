package card

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/server"
	"gatehouse/views/ui"

	"gatehouse/views/i18n"
	view "gatehouse/views/inbox"
)

// Portal is where the customer's inbox is mounted.
const Portal = "/app/approvals"

// Look says for whom and where a card is drawn.
type Look struct {
	Base  string                                  // where the inbox is mounted; empty: Portal
	Agent func(agent string) ui.Agent             // how an agent is called
	Staff bool                                    // the reader is staff
	Leave func(id server.ID) (view.Leave, string) // staff only: what they may do there, and where they ask for a key; nil: nothing
}

// Of draws an approval as its server knows it.
func Of(ctx context.Context, as wire.Approval, look Look) view.CardProps {
	a := as.In(i18n.LocaleOf(ctx))
	read := contentsOf(a)
	p := view.CardProps{
		ID: a.ID, Code: a.Code, Base: look.base(), Staff: look.Staff, Tier: a.Tier, Agent: look.Agent(a.Agent),
		Tool: a.Tool, Action: a.Action, Summary: a.Summary, Facts: facts(ctx, a.Facts), Reason: a.Reason, WhyAsked: Sentence(a.WhyAsked),
		Diff: diff(a.Diff), Run: a.RootRunID, Session: a.SessionID, Digest: a.Digest, Sign: signed(a), Windows: windows(a),
		MayEdit: !look.Staff && read.edit, Created: a.CreatedAt, Expires: a.ExpiresAt,
		State: string(a.State), Execution: string(a.Execution), Next: a.Next, Decision: decision(a),
	}
	if look.Leave != nil {
		p.Leave, p.Keys = look.Leave(server.ID(a.ServerID))
	}
	p.Args, p.Draft, p.Shown = read.args, read.draft, read.shown
	if p.Sign != "" && !look.Staff {
		p.Says, p.Vouched = vouched(as)
	}
	if p.Draft != nil {
		letter := *p.Draft // what was read is shared by all who read it
		letter.From = senderOf(as.Facts)
		p.Draft = &letter
	}
	p.Unlike = p.Sign != "" && p.Shown == "" && !look.Staff // what is asked is not told to staff
	p.MayEdit = p.MayEdit && !p.Unlike
	p.Typed = len(a.Typed) > 0
	p.Guardian, p.Taint, p.WindowFor, p.Rule = verdict(a.Guardian), sources(ctx, a.Taint), a.Destination, rule(a.Rule)
	return p
}

func verdict(j *wire.Judgement) *ui.Verdict {
	if j == nil {
		return nil
	}
	return &ui.Verdict{Word: j.Verdict, Reason: j.Reason, Model: j.Model, Failed: j.Failed}
}

// sources are where content from outside came from. A server that knows no more than the tool names that.
func sources(ctx context.Context, all []wire.TaintSource) []string {
	var out []string
	for _, s := range all {
		name := s.Source
		if ui.KnowsTool(name) {
			name = ui.ToolTitle(ctx, name)
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// rule is the offer of a rule, with the scope that is signed when it is taken: the hash of the rule that the person saw.
func rule(r *wire.RuleProposal) *ui.RuleOffer {
	if r == nil {
		return nil
	}
	sum := sha256.Sum256([]byte(r.Text))
	return &ui.RuleOffer{Text: r.Text, Diff: r.Diff, Scope: `{"rule":"` + hex.EncodeToString(sum[:]) + `"}`}
}

// signed is the text that the digest is of: whoever signs computes it anew.
func signed(a wire.Approval) string {
	if a.State != wire.ApprovalPending || a.RunID == "" {
		return "" // it is decided, or was read without what it asks
	}
	return wire.CallText(a)
}

// vouched is what the server says of the call, and by which signature it vouches for that, for the script to check before
// it signs. A server of an earlier version vouches for nothing.
func vouched(a wire.Approval) (says, by string) {
	text, err := a.Says()
	if err != nil || a.Vouched == nil {
		return "", ""
	}
	return string(text), a.Vouched.Key + " " + a.Vouched.Sig
}

// OfItem draws an approval as the hub keeps it.
func OfItem(ctx context.Context, it approval.Item, look Look) view.CardProps {
	p := Of(ctx, it.Approval, look)
	if look.Staff {
		p.Customer = it.Customer
	}
	if it.State == wire.ApprovalPending && it.Refused != "" {
		p.Conflict = Sentence(it.Refused) + "."
	}
	if p.Decision != nil {
		p.Decision.Verb, p.Decision.Minutes = string(it.Verb), it.Minutes
	}
	return p
}

// Sentence lets words that stand alone begin like a sentence.
func Sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

func (l Look) base() string {
	if l.Base == "" {
		return Portal
	}
	return l.Base
}

// Words are what a measured fact says. A size that comes as its number alone, as staff are told it, is put as people read
// sizes.
func Words(ctx context.Context, f wire.Fact) string {
	if f.Name == "bytes" && f.Text == strconv.FormatInt(f.Value, 10)+" bytes" {
		return ui.Bytes(ctx, f.Value)
	}
	return f.Text
}

// facts puts the figure of a measured fact apart from what it counts: "14 files" is 14, files.
func facts(ctx context.Context, fs []wire.Fact) []ui.Fact {
	out := make([]ui.Fact, 0, len(fs))
	for _, f := range fs {
		text := Words(ctx, f)
		value, name, _ := strings.Cut(text, " ")
		if value == "" || value[0] < '0' || value[0] > '9' {
			value, name = text, ""
		}
		if value != "" {
			out = append(out, ui.Fact{Value: value, Name: name})
		}
	}
	return out
}

// senderOf is the address that a letter would come from; empty when the server does not say.
func senderOf(fs []wire.Fact) string {
	for _, f := range fs {
		if f.Name == "senders" {
			return strings.TrimPrefix(f.Text, "from ")
		}
	}
	return ""
}

// windows are the lengths that may be chosen: what the server offers, within what the hub lets through.
func windows(a wire.Approval) []int {
	limit := approval.WindowLimit(a.Tier)
	return slices.DeleteFunc(slices.Clone(a.Windows), func(m int) bool { return m < 1 || m > limit })
}

func diff(d *wire.Diff) *view.DiffProps {
	if d == nil {
		return nil
	}
	return &view.DiffProps{Path: d.Path, New: d.New, Added: d.Added, Removed: d.Removed, Unified: d.Unified}
}

func decision(a wire.Approval) *view.DecisionProps {
	if a.DecidedBy == nil {
		return nil
	}
	by := a.DecidedBy
	return &view.DecisionProps{
		By: by.Name, Role: by.Role, At: by.Time, Where: by.Channel, From: by.Address, Method: by.Method, Reason: a.DenyReason,
	}
}
