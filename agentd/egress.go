package agentd

import (
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/egress"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
)

// leaving looks at what is about to leave the business, and counts what did.
type leaving struct {
	inside func() []string
	sent   *egress.Counter
}

func newLeaving(inside func() []string, now func() time.Time) leaving {
	return leaving{inside, egress.NewCounter(egress.Usual, now)}
}

// Look implements gate.Outgoing: for each recipient, the strictest counts. That a recipient is merely new says nothing
// here: the gate asks about those by its own table. One that looks like somebody known does.
func (l leaving) Look(o gate.Leaving) (policy.Opinion, []string) {
	verdict, kinds, recipients := egress.Allow, []string(nil), o.Recipients
	if len(recipients) == 0 {
		recipients = []string{""}
	}
	for _, to := range recipients {
		v := l.scanner(to).Scan(egress.Outgoing{Channel: o.Tool, Recipient: to, Known: l.known(o, to), Text: o.Text})
		for _, f := range v.Findings {
			if f.Kind != egress.New && !slices.Contains(kinds, string(f.Kind)) {
				kinds = append(kinds, string(f.Kind))
			}
		}
		switch {
		case v.Decision == egress.Block:
			verdict = egress.Block
		case len(kinds) > 0 && verdict != egress.Block:
			verdict = egress.Escalate
		}
	}
	if o.Unread {
		kinds = append(kinds, string(egress.Unread))
		if verdict == egress.Allow {
			verdict = egress.Escalate
		}
	}
	return policy.Opinion(verdict), kinds
}

// known is whom people know; nothing for a host, which the registry names or nobody does.
func (l leaving) known(o gate.Leaving, to string) []string {
	if !strings.Contains(to, "@") {
		return nil
	}
	return append(slices.Clone(o.Known), l.inside()...)
}

// scanner counts mails to people. How often a business tool is called, limits say.
func (l leaving) scanner(to string) egress.Scanner {
	s := egress.Scanner{Secrets: redact.Current()}
	if strings.Contains(to, "@") {
		s.Volume = l.sent
	}
	return s
}

// Left implements gate.Outgoing.
func (l leaving) Left(recipients []string) {
	for _, to := range recipients {
		if strings.Contains(to, "@") {
			l.sent.Note(to)
		}
	}
}
