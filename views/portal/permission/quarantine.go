package permission

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// QuarantineProps is one page of flagged content.
type QuarantineProps struct {
	Rows []FlaggedProps
	Next int64
	Away bool
}

// FlaggedProps is one piece of content from outside in which something was noticed.
type FlaggedProps struct {
	Run, Call, Tool, Summary, From string
	Patterns                       []string
	At                             time.Time
}

// noticed are the patterns that a server reports, as people call them.
var noticed = map[string]i18n.Key{
	"addressed_to_agent": "quarantine.pattern.addressed_to_agent",
	"approval_spoof":     "quarantine.pattern.approval_spoof",
	"credential_request": "quarantine.pattern.credential_request",
	"delimiter_spoof":    "quarantine.pattern.delimiter_spoof",
	"encoded_payload":    "quarantine.pattern.encoded_payload",
	"exfiltration":       "quarantine.pattern.exfiltration",
	"hidden_text":        "quarantine.pattern.hidden_text",
	"instruction":        "quarantine.pattern.instruction",
	"invisible_text":     "quarantine.pattern.invisible_text",
	"memory_poisoning":   "quarantine.pattern.memory_poisoning",
	"override":           "quarantine.pattern.override",
	"role_spoof":         "quarantine.pattern.role_spoof",
	"tool_imitation":     "quarantine.pattern.tool_imitation",
	"urgency_secrecy":    "quarantine.pattern.urgency_secrecy",
}

// patternWord is a pattern as people call it; one that a newer server reports stands as it came.
func patternWord(ctx context.Context, pattern string) string {
	if key, ok := noticed[pattern]; ok {
		return i18n.T(ctx, key)
	}
	return pattern
}

func quarantineTable(ctx context.Context, p QuarantineProps) ui.Table {
	next := ""
	if p.Next > 0 {
		next = strconv.FormatInt(p.Next, 10)
	}
	t := ui.Table{
		ID: "quarantine", Caption: i18n.T(ctx, "quarantine.title"), Path: QuarantinePath,
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "quarantine.what"), Main: true},
			{Label: i18n.T(ctx, "quarantine.patterns")},
			{Label: i18n.T(ctx, "credential.when")},
		},
		Pager: ui.Pager{Next: portal.NextPage(QuarantinePath, url.Values{}, next)},
		Empty: ui.Empty{Kind: "done", Title: i18n.T(ctx, "quarantine.empty"), Body: i18n.T(ctx, "quarantine.empty_more")},
	}
	for _, r := range p.Rows {
		t.Rows = append(t.Rows, ui.Row{ID: "flagged-" + r.Call, Kind: "warn", Cells: []templ.Component{flaggedCall(r), patterns(r.Patterns), ui.Time(r.At)}})
	}
	return t
}
