package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/team"
	"gatehouse/app/web/jsonbody"
)

// toolLimits is what is set about tools for all agents.
type toolLimits struct {
	Version   int64    `json:"version"` // of the settings
	Denied    []string `json:"denied"`
	OwnerOnly []string `json:"owner_only"`
}

func limitsOf(cfg wire.Config) toolLimits {
	return toolLimits{cfg.Version, append([]string{}, cfg.Tools.Denied...), append([]string{}, cfg.Tools.OwnerOnly...)}
}

// tools answers GET tools.
func (h *handler) tools(c echo.Context) error {
	set, err := h.Team.State(c.Request().Context(), customerOf(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, limitsOf(set.Config))
}

// toolRequest sets one thing about a tool for all agents, or takes it back.
type toolRequest struct {
	Rule      string          `json:"rule"`
	On        bool            `json:"on"`
	Version   int64           `json:"version"` // of the settings that the change makes, which the signature is bound to
	Signature *wire.Signature `json:"signature"`
}

var errToolRule = fault.Bad(map[string]string{"rule": "The rule is denied or owner_only."})

// setTool answers PATCH tools/{tool}. Only what gives the tool back needs a signature.
func (h *handler) setTool(c echo.Context) error {
	var in toolRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	var edit team.Edit
	switch in.Rule {
	case "denied":
		edit = team.Denied(c.Param("tool"), in.On)
	case "owner_only":
		edit = team.OwnerOnly(c.Param("tool"), in.On)
	default:
		return errToolRule
	}
	cfg, err := h.Team.Change(c.Request().Context(), customerOf(c), originOf(c), team.Signed(edit, in.Version, in.Signature))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, limitsOf(cfg))
}

// sandboxRequest lets an agent work in the sandbox only, or no longer.
type sandboxRequest struct {
	Only      bool            `json:"only"`
	Version   int64           `json:"version"` // of the settings that the change makes, which the signature is bound to
	Signature *wire.Signature `json:"signature"`
}

// agentSandbox answers PATCH agents/{agent}/sandbox. To put an agent into the sandbox needs no signature.
func (h *handler) agentSandbox(c echo.Context) error {
	var in sandboxRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	agent := c.Param("agent")
	cfg, err := h.Team.Change(c.Request().Context(), customerOf(c), originOf(c),
		team.Signed(team.Sandboxed(agent, in.Only), in.Version, in.Signature))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Version int64 `json:"version"`
		Only    bool  `json:"only"`
	}{cfg.Version, cfg.Agents[agent].Sandboxed})
}
