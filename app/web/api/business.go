package api

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/welcome"
	"gatehouse/views/i18n"
)

// Tasks is what the API needs of kinds of business and their wins; welcome.Service has it.
type Tasks interface {
	Of(ctx context.Context, of account.CustomerID) (welcome.State, error)
	Choose(ctx context.Context, of account.CustomerID, kind string) error
	PutAway(ctx context.Context, of account.CustomerID, back bool) error
}

// businessRoutes are those of the kind of business.
func (h *handler) businessRoutes(at func(method, path string, right account.Right, do echo.HandlerFunc) web.Route) []web.Route {
	return []web.Route{
		at(http.MethodGet, "/business", account.Look, h.business),
		at(http.MethodPut, "/business", account.Manage, h.setBusiness),
	}
}

// business is what the API says of the kind of business, in the language of the header Accept-Language.
type business struct {
	Kind    string         `json:"kind"`
	Kinds   []businessKind `json:"kinds"`
	Team    []string       `json:"team"`
	PutAway bool           `json:"put_away"`
	Wins    []win          `json:"wins"`
}

type businessKind struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// win is one win; When says when its schedule is due and is empty for a message.
type win struct {
	ID        string `json:"id"`
	Agent     string `json:"agent"`
	Title     string `json:"title"`
	Text      string `json:"text"`
	When      string `json:"when"`
	Done      bool   `json:"done"`
	Dismissed bool   `json:"dismissed"`
}

// business answers GET business.
func (h *handler) business(c echo.Context) error {
	state, err := h.Tasks.Of(c.Request().Context(), customerOf(c))
	if err != nil {
		return err
	}
	locale := i18n.Match(c.Request().Header.Get("Accept-Language"))
	out := business{Team: state.Business().Team, PutAway: state.PutAway}
	if welcome.KnownKind(state.Kind) {
		out.Kind = state.Kind
	}
	for _, k := range welcome.Kinds() {
		out.Kinds = append(out.Kinds, businessKind{k.ID, k.Name.In(locale)})
	}
	for _, i := range state.All() {
		out.Wins = append(out.Wins, win{
			ID: string(i.Task), Agent: i.Agent, Title: i.Title.In(locale), Text: i.Text.In(locale), When: i.When.In(locale),
			Done: i.Done, Dismissed: i.Dismissed,
		})
	}
	return c.JSON(http.StatusOK, out)
}

// businessRequest chooses the kind of business, or puts the list of wins away; what is left out stays.
type businessRequest struct {
	Kind    string `json:"kind"`
	PutAway *bool  `json:"put_away"`
}

// setBusiness answers PUT business. No agent comes or goes by it.
func (h *handler) setBusiness(c echo.Context) error {
	var in businessRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	ctx, of := c.Request().Context(), customerOf(c)
	if in.Kind != "" {
		if err := h.Tasks.Choose(ctx, of, in.Kind); err != nil {
			return err
		}
	}
	if in.PutAway != nil {
		if err := h.Tasks.PutAway(ctx, of, !*in.PutAway); err != nil {
			return err
		}
	}
	return h.business(c)
}
