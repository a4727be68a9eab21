package credential

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// AccessesProps are accesses to one secret, or to all of them.
type AccessesProps struct {
	Rows   []AccessProps
	Named  bool // of all: each says to which
	Unread bool // they could not be read
}

// AccessProps is one access.
type AccessProps struct {
	At                 time.Time
	Name, Act, By, For string
}

var accessWords = map[string]i18n.Key{
	"set": "credential.act.set", "generate": "credential.act.generate", "rotate": "credential.act.rotate", "rollback": "credential.act.rollback",
	"bind": "credential.act.bind", "reveal": "credential.act.reveal", "lease": "credential.act.lease", "use": "credential.act.use",
	"seed": "credential.act.seed", "import": "credential.act.import", "remove": "credential.act.remove", "rekey": "credential.act.rekey",
	"refuse": "credential.act.refuse", "source": "credential.act.source", "fetch": "credential.act.fetch",
}

// accessWord is an access as people call it.
func accessWord(ctx context.Context, act string) string {
	if key, ok := accessWords[act]; ok {
		return i18n.T(ctx, key)
	}
	return act
}

// accessTable lists accesses: to any secret, by name, or to the one whose page it stands on.
func accessTable(ctx context.Context, p AccessesProps) ui.Table {
	t := ui.Table{
		ID: "secret-acts", Caption: i18n.T(ctx, "credential.audit"),
		Cols:  []ui.Col{{Label: i18n.T(ctx, "credential.act"), Main: true}},
		Empty: ui.Empty{Kind: "new", Title: i18n.T(ctx, "credential.audit_empty")},
	}
	if p.Named {
		t.Cols = append(t.Cols, ui.Col{Label: i18n.T(ctx, "credential.name")})
	}
	t.Cols = append(t.Cols, ui.Col{Label: i18n.T(ctx, "credential.by")}, ui.Col{Label: i18n.T(ctx, "credential.for")}, ui.Col{Label: i18n.T(ctx, "credential.when")})
	for _, r := range p.Rows {
		cells := []templ.Component{ui.Text(accessWord(ctx, r.Act))}
		if p.Named {
			cells = append(cells, ui.Code(r.Name))
		}
		t.Rows = append(t.Rows, ui.Row{Cells: append(cells, ui.Text(r.By), ui.Text(r.For), ui.Time(r.At))})
	}
	return t
}
