package api

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/team"
	"gatehouse/app/web/jsonbody"
)

// TeamSettings is what the API reads and changes in the settings of a team; team.Service does.
type TeamSettings interface {
	State(ctx context.Context, of account.CustomerID) (team.State, error)
	Change(ctx context.Context, of account.CustomerID, who wire.Origin, edit team.Edit) (wire.Config, error)
}

// itself is an item of a list that is told as the server gives it.
func itself[T any](item T) T { return item }

// ofAgent asks for a page of what one agent did.
func ofAgent(c echo.Context) (wire.ListParams, error) {
	ask, err := asked(c)
	return wire.ListParams{Agent: c.Param("agent"), After: c.QueryParam("after"), Limit: ask.Limit}, err
}

// agentActivity answers GET agents/{agent}/activity: the runs of the agent, the newest first.
func (h *handler) agentActivity(c echo.Context) error {
	p, err := ofAgent(c)
	if err != nil {
		return err
	}
	got, err := h.Chat.Runs(c.Request().Context(), customerOf(c), p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, wireList(got.Items, got.Next, itself))
}

// agentConversations answers GET agents/{agent}/conversations: those that people have with the agent, the newest first.
func (h *handler) agentConversations(c echo.Context) error {
	p, err := ofAgent(c)
	if err != nil {
		return err
	}
	p.Archived = c.QueryParam("archived") == "true"
	got, err := h.Chat.Sessions(c.Request().Context(), customerOf(c), p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, wireList(got.Items, got.Next, itself))
}

// commsRequest lets an agent use a tool outward without asking, or no longer.
type commsRequest struct {
	Tool      string          `json:"tool"`
	Unlocked  bool            `json:"unlocked"`
	Version   int64           `json:"version"` // of the settings that the change makes, which the signature is bound to
	Signature *wire.Signature `json:"signature"`
}

// agentComms answers PATCH agents/{agent}/external-comms. To lock a tool needs no signature.
func (h *handler) agentComms(c echo.Context) error {
	var in commsRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	agent := c.Param("agent")
	cfg, err := h.settle(c, team.External(agent, in.Tool, in.Unlocked), in.Version, in.Signature)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Version  int64    `json:"version"`
		Unlocked []string `json:"unlocked"`
	}{cfg.Version, append([]string{}, cfg.Agents[agent].Unlocked...)})
}

// settle changes the settings of the team. What raises something is signed, for the version that the change makes.
func (h *handler) settle(c echo.Context, edit team.Edit, version int64, sig *wire.Signature) (wire.Config, error) {
	return h.Team.Change(c.Request().Context(), customerOf(c), originOf(c), team.Signed(edit, version, sig))
}

// colleagueRequest lets an agent hand tasks to a colleague, or no longer.
type colleagueRequest struct {
	Colleague string          `json:"colleague"`
	May       bool            `json:"may"`
	Version   int64           `json:"version"` // of the settings that the change makes, which the signature is bound to
	Signature *wire.Signature `json:"signature"`
}

// agentColleagues answers PATCH agents/{agent}/colleagues. To take a colleague off the list needs no signature.
func (h *handler) agentColleagues(c echo.Context) error {
	var in colleagueRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	agent := c.Param("agent")
	cfg, err := h.settle(c, team.Asks(agent, in.Colleague, in.May), in.Version, in.Signature)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Version    int64    `json:"version"`
		Colleagues []string `json:"colleagues"`
	}{cfg.Version, append([]string{}, cfg.Agents[agent].Asks...)})
}
