package credential

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/credential"
)

// mostAccesses is how many accesses the page lists.
const mostAccesses = 50

// list answers GET /app/credentials: every secret by name, and the calls that wait for one.
func (p *Pages) list(c echo.Context) error {
	return p.showList(c, http.StatusOK, views.ListProps{})
}

// showList fills props in and shows them; what is set already is what a form brought.
func (p *Pages) showList(c echo.Context, status int, props views.ListProps) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	props.Q = c.QueryParam("q")
	if err := p.fillList(ctx, frame.Customer(c), &props); err != nil {
		return err
	}
	if web.IsPartial(c) {
		return web.Render(c, status, views.ListResults(props))
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "credential.title"), Away: props.Away})
	if err != nil {
		return err
	}
	outer.Failed = len(props.Problems) > 0
	return web.Render(c, status, views.ListPage(outer, props))
}

// fillList reads what only the server knows.
func (p *Pages) fillList(ctx context.Context, of account.CustomerID, props *views.ListProps) error {
	all, err := p.Credentials.List(ctx, of)
	if err == nil {
		props.Requests, err = p.requests(ctx, of)
	}
	if err == nil {
		props.Audit, err = p.accesses(ctx, of, "")
	}
	if props.Away = frame.IsAway(err); props.Away {
		return nil
	}
	for _, s := range all.Items {
		if strings.Contains(s.Name, strings.ToLower(strings.TrimSpace(props.Q))) {
			props.Rows = append(props.Rows, rowProps(s))
		}
	}
	return err
}

func rowProps(s wire.SecretInfo) views.RowProps {
	p := views.RowProps{
		Name: s.Name, Kind: s.Kind, Source: s.Source, Bound: len(s.Bindings), Rotated: s.RotatedAt, Used: s.LastUsedAt, UsedBy: s.LastUsedBy,
	}
	if o := s.Origin; o != nil {
		p.Origin, p.Trouble = o.Path+"#"+o.Field, o.Trouble
	}
	return p
}

// requests are the calls that wait for a value.
func (p *Pages) requests(ctx context.Context, of account.CustomerID) ([]views.RequestProps, error) {
	got, err := p.Credentials.Asked(ctx, of)
	if err != nil {
		return nil, err
	}
	var out []views.RequestProps
	for _, r := range got.Items {
		if r.State == "pending" {
			out = append(out, p.requestProps(ctx, of, r))
		}
	}
	return out, nil
}

func (p *Pages) requestProps(ctx context.Context, of account.CustomerID, r wire.SecretRequest) views.RequestProps {
	return views.RequestProps{
		ID: r.ID, Agent: p.Agents.Agent(ctx, of, r.Agent).Name, Name: r.Name, Generate: r.Generate, At: r.CreatedAt,
	}
}

// accesses is who used a secret, or all of them. What cannot be read is said in its place alone.
func (p *Pages) accesses(ctx context.Context, of account.CustomerID, name string) (views.AccessesProps, error) {
	got, err := p.Credentials.Audit(ctx, of, wire.SecretAuditParams{Name: name, Limit: mostAccesses})
	if frame.IsOurs(err) {
		return views.AccessesProps{}, err
	}
	out := views.AccessesProps{Named: name == "", Unread: err != nil}
	for _, a := range got.Items {
		out.Rows = append(out.Rows, views.AccessProps{At: a.Time, Name: a.Name, Act: a.Act, By: p.actor(ctx, of, a.By), For: a.For})
	}
	return out, nil
}

// actor is who accessed a secret: a person by the address alone, an agent by its name.
func (p *Pages) actor(ctx context.Context, of account.CustomerID, by string) string {
	role, person, ok := strings.Cut(by, " ")
	switch {
	case ok && (role == string(account.Owner) || role == string(account.Member)):
		return person
	case ok || by == "" || by == "agentd":
		return by
	}
	return p.Agents.Agent(ctx, of, by).Name
}

// openSecret answers POST /app/credentials/open: what the script needs to seal one value.
func (p *Pages) openSecret(c echo.Context) error {
	got, err := p.Credentials.Open(c.Request().Context(), frame.Customer(c), wire.SecretOpenParams{
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
		"current": "credential.state.current", "former": "credential.state.former",
		"staged": "credential.state.staged", "failed": "credential.state.failed",
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
