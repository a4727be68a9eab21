package credential

import (
	"context"
	"strings"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// Props is one secret with everything but its value.
type Props struct {
	RowProps
	ServerID      string
	ConfigVersion int64 // of the configuration that a signed change belongs to
	Created       time.Time
	Expires       time.Time
	Bindings      []BindingProps
	BindingsHash  string // what a change of them is based on; empty: the server does not ask
	Versions      []VersionProps
	Audit         AccessesProps
	Away          bool
	Refused       bool   // the form of places was
	Typed         string // what it brought
	Problem       string
	Problems      map[string]string
}

// fields are those of the forms, in the order in which their problems are listed.
var fields = []string{"name", "kind", "value", "new", "length", "bindings"}

// BindingProps is one place where a secret may be used, in one line.
type BindingProps struct{ Text string }

// VersionProps is one value that a secret has or had.
type VersionProps struct {
	N     int
	State string
	At    time.Time
	Back  bool // it can be made the current one again
}

// typed is what stands in the form of places: what a refused form brought, or those that hold.
func (p Props) typed() string {
	if p.Refused {
		return p.Typed
	}
	all := make([]string, len(p.Bindings))
	for i, b := range p.Bindings {
		all[i] = b.Text
	}
	return strings.Join(all, "\n")
}

func about(ctx context.Context, p Props) []ui.Pair {
	pairs := []ui.Pair{
		{Name: i18n.T(ctx, "credential.kind"), Value: kindWord(ctx, p.Kind)},
		{Name: i18n.T(ctx, "credential.source"), Value: sourceWord(ctx, p.Source)},
		{Name: i18n.T(ctx, "credential.created"), View: ui.Time(p.Created)},
		{Name: i18n.T(ctx, "credential.rotated"), View: ui.Time(p.Rotated)},
		{Name: i18n.T(ctx, "credential.used"), View: lastUse(ctx, p.Used)},
	}
	if p.Origin != "" {
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "credential.lives"), View: ui.Code(p.Origin)})
	}
	if p.Trouble != "" {
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "credential.trouble"), Value: i18n.Say(ctx, p.Trouble)})
	}
	if !p.Expires.IsZero() {
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "credential.expires"), View: ui.Time(p.Expires)})
	}
	return append(pairs, ui.Pair{Name: i18n.T(ctx, "credential.ref"), View: ui.Code("SECRET_REF(" + p.Name + ")")})
}
