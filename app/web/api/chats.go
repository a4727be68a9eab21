package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/team"
	"gatehouse/app/web/jsonbody"
)

// usualQueue is how the API names that each place where one can write has its usual way.
const usualQueue = "usual"

// chatSettings is how conversations are kept.
type chatSettings struct {
	Queue     string `json:"queue"`
	Debounce  *int   `json:"debounce_ms"`
	IdleHours int    `json:"idle_hours"`
	Daily     bool   `json:"daily"`
}

func chatSettingsOf(c wire.Chats) chatSettings {
	out := chatSettings{Queue: string(c.Queue), IdleHours: c.IdleHours, Daily: c.Daily}
	if c.Queue == "" {
		out.Queue = usualQueue
	}
	ms := int(c.Burst().Milliseconds())
	out.Debounce = &ms
	return out
}

// chatSettings answers GET chat/settings.
func (h *handler) chatSettings(c echo.Context) error {
	set, err := h.Team.State(c.Request().Context(), customerOf(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, chatSettingsOf(set.Config.Chats))
}

// setChats answers PUT chat/settings. Nothing of it gives power, so it needs no signature.
func (h *handler) setChats(c echo.Context) error {
	var in chatSettings
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	if in.Queue == usualQueue {
		in.Queue = ""
	}
	cfg, err := h.Team.Change(c.Request().Context(), customerOf(c), originOf(c), team.Chats(wire.Chats{
		Queue: wire.QueueMode(in.Queue), Debounce: in.Debounce, IdleHours: in.IdleHours, Daily: in.Daily,
	}))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, chatSettingsOf(cfg.Chats))
}
