package portal

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/credential"
)

// lastActs is how many accesses the page lists.
const lastActs = 50

// credentials answers GET /app/credentials: every secret by name, and the calls that wait for one.
func (p *Portal) credentials(c echo.Context) error {
	return p.showCredentials(c, http.StatusOK, views.ListProps{})
}

// showCredentials fills props in and shows them; what is set already is what a form brought.
func (p *Portal) showCredentials(c echo.Context, status int, props views.ListProps) error {
	ctx, cancel := reading(c)
	defer cancel()
	props.Q = c.QueryParam("q")
	if err := p.fillCredentials(ctx, customer(c), &props); err != nil {
		return err
	}
	if web.IsPartial(c) {
		return web.Render(c, status, views.ListResults(props))
	}
	frame, err := p.frame(c, sheet{title: i18n.T(web.Context(c), "credential.title"), away: props.Away})
	if err != nil {
		return err
	}
	frame.Failed = len(props.Problems) > 0
	return web.Render(c, status, views.ListPage(frame, props))
}

// fillCredentials reads what only the server knows.
func (p *Portal) fillCredentials(ctx context.Context, of account.CustomerID, props *views.ListProps) error {
	all, err := p.Credentials.List(ctx, of)
	if err == nil {
		props.Requests, err = p.asked(ctx, of)
	}
	if err == nil {
		props.Audit, err = p.secretActs(ctx, of, "")
	}
	if props.Away = isAway(err); props.Away {
		return nil
	}
	for _, s := range all.Items {
		if strings.Contains(s.Name, strings.ToLower(strings.TrimSpace(props.Q))) {
			props.Rows = append(props.Rows, credentialProps(s))
		}
	}
	return err
}

func credentialProps(s wire.SecretInfo) views.RowProps {
	p := views.RowProps{
		Name: s.Name, Kind: s.Kind, Source: s.Source, Bound: len(s.Bindings), Rotated: s.RotatedAt, Used: s.LastUsedAt, UsedBy: s.LastUsedBy,
	}
	if o := s.Origin; o != nil {
		p.Origin, p.Trouble = o.Path+"#"+o.Field, o.Trouble
	}
	return p
}

// asked are the calls that wait for a value.
func (p *Portal) asked(ctx context.Context, of account.CustomerID) ([]views.RequestProps, error) {
	got, err := p.Credentials.Asked(ctx, of)
	if err != nil {
		return nil, err
	}
	var out []views.RequestProps
	for _, r := range got.Items {
		if r.State == "pending" {
			out = append(out, p.askedProps(of, r))
		}
	}
	return out, nil
}

func (p *Portal) askedProps(of account.CustomerID, r wire.SecretRequest) views.RequestProps {
	return views.RequestProps{
		ID: r.ID, Agent: p.names.agent(of, r.Agent).Name, Name: r.Name, Generate: r.Generate, At: r.CreatedAt,
	}
}

// secretActs is who used a secret, or all of them. What cannot be read is said in its place alone.
func (p *Portal) secretActs(ctx context.Context, of account.CustomerID, name string) (views.AccessesProps, error) {
	got, err := p.Credentials.Audit(ctx, of, wire.SecretAuditParams{Name: name, Limit: lastActs})
	if ours(err) {
		return views.AccessesProps{}, err
	}
	out := views.AccessesProps{Named: name == "", Unread: err != nil}
	for _, a := range got.Items {
		out.Rows = append(out.Rows, views.AccessProps{At: a.Time, Name: a.Name, Act: a.Act, By: p.whoActed(of, a.By), For: a.For})
	}
	return out, nil
}

// whoActed is who an access was by: a person by the address alone, an agent by its name.
func (p *Portal) whoActed(of account.CustomerID, by string) string {
	role, person, ok := strings.Cut(by, " ")
	switch {
	case ok && (role == string(account.Owner) || role == string(account.Member)):
		return person
	case ok || by == "" || by == "agentd":
		return by
	}
	return p.names.agent(of, by).Name
}

// openSecret answers POST /app/credentials/open: what the script needs to seal one value.
func (p *Portal) openSecret(c echo.Context) error {
	got, err := p.Credentials.Open(c.Request().Context(), customer(c), wire.SecretOpenParams{
		Method: wire.Method(c.FormValue("method")), Name: c.FormValue("name"),
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, got)
}

// stateWord is the state of a value, as people say it.
func stateWord(ctx context.Context, state string) string {
	words := map[string]i18n.Key{
		"current": "credential.state.current", "former": "credential.state.former", "staged": "credential.state.staged", "failed": "credential.state.failed",
	}
	if key, ok := words[state]; ok {
		return i18n.T(ctx, key)
	}
	return state
}

// secretNamed finds a secret by its name.
func secretNamed(all []wire.SecretInfo, name string) (wire.SecretInfo, bool) {
	i := slices.IndexFunc(all, func(s wire.SecretInfo) bool { return s.Name == name })
	if i < 0 {
		return wire.SecretInfo{}, false
	}
	return all[i], true
}
