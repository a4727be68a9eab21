package portal

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// The pages and forms about secrets.
const (
	Credentials         = "/app/credentials"
	CredentialsOpen     = "/app/credentials/open"
	CredentialsGenerate = "/app/credentials/generate"
	CredentialsDecline  = "/app/credentials/decline"
	CredentialsShare    = "/app/credentials/share"
)

// CredentialPath is one secret.
func CredentialPath(name string) string { return Credentials + "/" + url.PathEscape(name) }

// CredentialsProps is the list of secrets.
type CredentialsProps struct {
	Q        string
	Rows     []CredentialProps
	Asked    []SecretAskedProps
	Audit    SecretActsProps
	Away     bool
	Name     string // what a refused form brought
	Kind     string
	Problems map[string]string
}

// CredentialProps is one secret in the list.
type CredentialProps struct {
	Name    string
	Kind    string
	Source  string
	Bound   int // places where it may be used
	Rotated time.Time
	Used    time.Time
	UsedBy  string
	Origin  string // where in the external vault it lives; empty: on the server
	Trouble string // why the external vault does not vouch for it now
}

// SecretAskedProps is a call that waits for a value.
type SecretAskedProps struct {
	ID, Agent, Name string
	Session         string // the conversation that it stands in; "": the page of credentials
	Generate        bool
	At              time.Time
}

// SealProps is a form whose value leaves the browser sealed.
type SealProps struct {
	ID, Action, Method, Name, Request, Session, Button string
}

// CredentialPageProps is one secret with everything but its value.
type CredentialPageProps struct {
	CredentialProps
	ServerID      string
	ConfigVersion int64 // of the configuration that a signed change belongs to
	Created       time.Time
	Expires       time.Time
	Bindings      []BindingProps
	BindingsHash  string // what a change of them is based on; empty: the server does not ask
	Versions      []VersionProps
	Audit         SecretActsProps
	Away          bool
	Refused       bool   // the form of places was
	Typed         string // what it brought
	Problem       string
	Problems      map[string]string
}

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
func (p CredentialPageProps) typed() string {
	if p.Refused {
		return p.Typed
	}
	all := make([]string, len(p.Bindings))
	for i, b := range p.Bindings {
		all[i] = b.Text
	}
	return strings.Join(all, "\n")
}

// kinds are the kinds of secrets, as people call them.
func kinds(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Value: "password", Label: i18n.T(ctx, "credential.kind.password")},
		{Value: "api_key", Label: i18n.T(ctx, "credential.kind.api_key")},
		{Value: "token", Label: i18n.T(ctx, "credential.kind.token")},
		{Value: "connection", Label: i18n.T(ctx, "credential.kind.connection")},
		{Value: "private_key", Label: i18n.T(ctx, "credential.kind.private_key")},
		{Value: "other", Label: i18n.T(ctx, "credential.kind.other")},
	}
}

// kindWord is a kind as people call it.
func kindWord(ctx context.Context, kind string) string {
	for _, o := range kinds(ctx) {
		if o.Value == kind {
			return o.Label
		}
	}
	return kind
}

func sourceWord(ctx context.Context, source string) string {
	switch source {
	case "provisioned":
		return i18n.T(ctx, "credential.source.provisioned")
	case "generated":
		return i18n.T(ctx, "credential.source.generated")
	case "owner":
		return i18n.T(ctx, "credential.source.owner")
	case "external":
		return i18n.T(ctx, "credential.source.external")
	}
	return source
}

func credentialsTable(ctx context.Context, p CredentialsProps) ui.Table {
	t := ui.Table{
		ID: "credentials", Caption: i18n.T(ctx, "credential.title"), Path: Credentials, Query: url.Values{"q": {p.Q}},
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "credential.name"), Main: true},
			{Label: i18n.T(ctx, "credential.kind")},
			{Label: i18n.T(ctx, "credential.source")},
			{Label: i18n.T(ctx, "credential.places"), Num: true},
			{Label: i18n.T(ctx, "credential.rotated")},
			{Label: i18n.T(ctx, "credential.used")},
		},
		Search: &ui.Search{Label: i18n.T(ctx, "credential.search"), Value: p.Q},
		Empty:  ui.Empty{Kind: "new", Title: i18n.T(ctx, "credential.empty"), Body: i18n.T(ctx, "credential.empty_more")},
	}
	if p.Q != "" {
		t.Empty = ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "credential.nomatch", "q", p.Q)}
	}
	for _, r := range p.Rows {
		t.Rows = append(t.Rows, ui.Row{ID: "credential-" + r.Name, Cells: []templ.Component{
			credentialName(r), ui.Text(kindWord(ctx, r.Kind)), ui.Text(sourceWord(ctx, r.Source)), ui.Text(ui.Count(int64(r.Bound))), ui.Time(r.Rotated), lastUse(ctx, r.Used),
		}})
	}
	return t
}

// lastUse is when a credential was used, if it ever was.
func lastUse(ctx context.Context, at time.Time) templ.Component {
	if at.IsZero() {
		return ui.Text(i18n.T(ctx, "portal.tokens.unused"))
	}
	return ui.Time(at)
}

func about(ctx context.Context, p CredentialPageProps) []ui.Pair {
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
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "credential.trouble"), Value: p.Trouble})
	}
	if !p.Expires.IsZero() {
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "credential.expires"), View: ui.Time(p.Expires)})
	}
	return append(pairs, ui.Pair{Name: i18n.T(ctx, "credential.ref"), View: ui.Code("SECRET_REF(" + p.Name + ")")})
}

// problemsOf makes the summary of a refused form, in the order of its fields.
func problemsOf(bad map[string]string) []ui.Problem {
	var out []ui.Problem
	for _, field := range []string{"name", "kind", "value", "new", "length", "bindings", "text"} {
		if bad[field] != "" {
			out = append(out, ui.Problem{Field: field, Text: bad[field]})
		}
	}
	return out
}
