package activity

import (
	"context"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// PutBackProps is a write of a file, and what putting back what it has replaced would change now.
type PutBackProps struct {
	Call, Run string
	Path      string
	Agent     ui.Agent // who wrote
	State     string   // kept, later, same, new, gone
	At, Until time.Time
	Now       string // hash of what is there now; goes back with the form
	Once      string // random: what is sent again with it is the same order
	Diff      *ui.DiffFile
	Moved     bool   // the file is no longer what the page had shown
	Problem   string // what was wrong with the last try
	Away      bool
}

// open says whether something can be put back.
func (p PutBackProps) open() bool { return p.State == "kept" || p.State == "later" }

// none says why nothing can be put back.
func (p PutBackProps) none(ctx context.Context) ui.Empty {
	switch p.State {
	case "same":
		return ui.Empty{Kind: "done", Title: i18n.T(ctx, "portal.back.same"), Body: i18n.T(ctx, "portal.back.same_more")}
	case "new":
		return ui.Empty{Kind: "done", Title: i18n.T(ctx, "portal.back.new"), Body: i18n.T(ctx, "portal.back.new_more")}
	}
	return ui.Empty{Kind: "noperm", Title: i18n.T(ctx, "portal.back.gone"), Body: i18n.T(ctx, "portal.back.gone_more")}
}

func putBackFacts(ctx context.Context, p PutBackProps) []ui.Pair {
	out := []ui.Pair{{Name: i18n.T(ctx, "portal.back.file"), Value: p.Path, Code: true}}
	if p.Agent.Name != "" {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "portal.back.by"), Value: p.Agent.Name})
	}
	if !p.At.IsZero() {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "portal.back.at"), View: ui.At(p.At)})
	}
	if p.open() {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "portal.back.until"), View: ui.At(p.Until)})
	}
	return out
}

func putBackHead(ctx context.Context, p PutBackProps) ui.PageHead {
	h := ui.PageHead{Title: i18n.T(ctx, "portal.back.title")}
	if p.Run != "" {
		h.Back = &ui.Crumb{Label: i18n.T(ctx, "portal.run.title"), Href: portal.RunPath(p.Run)}
	}
	return h
}
