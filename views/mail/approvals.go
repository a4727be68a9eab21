package mail

import (
	"context"
	"net/url"
	"strings"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// Asked is one approval in a letter: who asks to do what kind of thing and how risky it is, never what exactly.
type Asked struct {
	ID    string
	Code  string
	Agent string
	Tool  string
	Tier  string
	Facts []string  // what was measured, such as "14 files"
	Until time.Time // in the reader's zone
}

// shown is how many approvals a letter names; it counts the others.
const shown = 5

// approvalsWords are those of a letter about approvals that wait.
func approvalsWords(ctx context.Context, p Props, w text) text {
	n := len(p.Asked)
	w.Subject = i18n.T(ctx, "mail.approvals.subject", "n", n)
	w.Title, w.Text = w.Subject, i18n.T(ctx, "mail.approvals.text", "n", n)
	for _, a := range p.Asked[:min(shown, n)] {
		w.Lines = append(w.Lines, line(ctx, a))
	}
	if n > shown {
		w.Lines = append(w.Lines, i18n.T(ctx, "mail.approvals.more", "n", n-shown))
	}
	w.Button = i18n.T(ctx, "mail.approvals.button", "n", n)
	return w
}

func line(ctx context.Context, a Asked) string {
	what := strings.Join(append([]string{ui.TierWord(ctx, a.Tier)}, a.Facts...), ", ")
	until := i18n.Day(ctx, a.Until) + a.Until.Format(" 15:04 ") + i18n.Zone(ctx, a.Until)
	does := ui.ToolDoes(ctx, a.Tool)
	return i18n.T(ctx, "mail.approvals.line", "code", a.Code, "agent", a.Agent, "does", does, "what", what, "until", until)
}

// approvalsPath is the card of the only one, or the list of all.
func approvalsPath(all []Asked) string {
	if len(all) == 1 {
		return "/app/approvals/" + url.PathEscape(all[0].ID)
	}
	return "/app/approvals"
}
