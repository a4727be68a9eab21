package api

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
)

// Crew is what the API needs of which agents there are; team.Crew has it.
type Crew interface {
	Library(ctx context.Context, of account.CustomerID) (wire.TeamLibrary, error)
	Member(ctx context.Context, of account.CustomerID, agent string) (wire.TeamMember, error)
	History(ctx context.Context, of account.CustomerID, p wire.TeamHistoryParams) (wire.TeamHistory, error)
	Change(ctx context.Context, of account.CustomerID, c wire.TeamChange) (wire.TeamDone, error)
}

// teamRoutes are those of which agents there are.
func (h *handler) teamRoutes(at func(method, path string, right account.Right, do echo.HandlerFunc) web.Route) []web.Route {
	return []web.Route{
		at(http.MethodGet, "/agents", account.Look, h.agents),
		at(http.MethodPost, "/agents", account.Manage, h.addAgent),
		at(http.MethodGet, "/agents/templates", account.Look, h.agentTemplates),
		at(http.MethodGet, "/agents/:agent", account.Manage, h.agent),
		at(http.MethodGet, "/agents/:agent/activity", account.Look, h.agentActivity),
		at(http.MethodGet, "/agents/:agent/conversations", account.Look, h.agentConversations),
		at(http.MethodPatch, "/agents/:agent/external-comms", account.Manage, h.agentComms),
		at(http.MethodPatch, "/agents/:agent/sandbox", account.Manage, h.agentSandbox),
		at(http.MethodPatch, "/agents/:agent/colleagues", account.Manage, h.agentColleagues),
		at(http.MethodGet, "/agents/:agent/files/:file", account.Manage, h.agentFile),
		at(http.MethodPatch, "/agents/:agent", account.Manage, h.changeAgent),
		at(http.MethodDelete, "/agents/:agent", account.Manage, h.archiveAgent),
		at(http.MethodGet, "/tools", account.Look, h.tools),
		at(http.MethodPatch, "/tools/:tool", account.Manage, h.setTool),
	}
}

// agentTemplates answers GET agents/templates. A library is small: it is one page.
func (h *handler) agentTemplates(c echo.Context) error {
	got, err := h.Crew.Library(c.Request().Context(), customerOf(c))
	if err != nil {
		return err
	}
	for _, list := range [][]wire.TeamTemplate{got.Items, got.Archived} {
		for i := range list {
			if list[i].Starters == nil {
				list[i].Starters = []string{}
			}
		}
	}
	return c.JSON(http.StatusOK, struct {
		wire.TeamLibrary
		Next *string `json:"next"`
	}{TeamLibrary: got})
}

// agent answers GET agents/{agent}: with its files.
func (h *handler) agent(c echo.Context) error {
	got, err := h.Crew.Member(c.Request().Context(), customerOf(c), c.Param("agent"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, got)
}

// agentFile answers GET agents/{agent}/files/{file}: how the file has changed, with the text of one version. That is one page.
func (h *handler) agentFile(c echo.Context) error {
	var version int64
	if err := echo.QueryParamsBinder(c).Int64("version", &version).BindError(); err != nil || version < 0 {
		return errFileVersion
	}
	got, err := h.Crew.History(c.Request().Context(), customerOf(c), wire.TeamHistoryParams{
		Agent: c.Param("agent"), File: c.Param("file"), Version: version,
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		wire.TeamHistory
		Next *string `json:"next"`
	}{TeamHistory: got})
}

var errFileVersion = fault.Bad(map[string]string{"version": "A version is a number that the list of versions names."})

// teamRequest is an act with what signs it.
type teamRequest struct {
	Act       wire.TeamAct    `json:"act"`
	Signature *wire.Signature `json:"signature"`
}

// addAgent answers POST agents: one out of the library, back from those that were put away, or a new one.
func (h *handler) addAgent(c echo.Context) error {
	return h.actOnTeam(c, http.StatusCreated, func(*wire.TeamAct) {})
}

// changeAgent answers PATCH agents/{agent}.
func (h *handler) changeAgent(c echo.Context) error {
	return h.actOnTeam(c, http.StatusOK, func(a *wire.TeamAct) { a.Agent = c.Param("agent") })
}

// archiveAgent answers DELETE agents/{agent}: it is put away with its files, and can be brought back.
func (h *handler) archiveAgent(c echo.Context) error {
	return h.actOnTeam(c, http.StatusOK, func(a *wire.TeamAct) { a.Agent, a.Do = c.Param("agent"), wire.TeamDoArchive })
}

// actOnTeam carries an act to the server, which checks the signature. What the address says goes before what the body says: another
// thing was not signed then.
func (h *handler) actOnTeam(c echo.Context, status int, say func(*wire.TeamAct)) error {
	var in teamRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	say(&in.Act)
	done, err := h.Crew.Change(c.Request().Context(), customerOf(c), wire.TeamChange{Act: in.Act, Signature: in.Signature, By: decider(c)})
	if err != nil {
		return err
	}
	return c.JSON(status, done)
}
