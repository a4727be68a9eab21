package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/setting"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/session"
)

// Settings is what the API needs of the settings; setting.Service has it.
type Settings interface {
	List(ctx context.Context) ([]setting.Now, error)
	One(ctx context.Context, k setting.Key) (setting.Now, error)
	Set(ctx context.Context, k setting.Key, value, reason string, by audit.Actor) error
	Reset(ctx context.Context, k setting.Key, reason string, by audit.Actor) error
}

// errConsole refuses a program what asks for a person who has just signed in.
var errConsole = fault.New(fault.Forbidden, "setting-console", "setting wants a fresh sign-in",
	"This can be changed only in the console, after a sign-in from the last ten minutes. Nothing was changed.")

// adminSetting is a setting as staff see it. Of a secret one no value is told.
type adminSetting struct {
	Key         string   `json:"key"`
	Category    string   `json:"category"`
	Type        string   `json:"type"`
	Value       string   `json:"value"`
	Default     string   `json:"default"`
	Environment string   `json:"environment,omitempty"`
	Changed     bool     `json:"changed"`
	Set         bool     `json:"set"`
	Unit        string   `json:"unit,omitempty"`
	Min         *int     `json:"min,omitempty"`
	Max         *int     `json:"max,omitempty"`
	Choices     []string `json:"choices,omitempty"`
	ConsoleOnly bool     `json:"console_only"`
}

func settingOf(n setting.Now) adminSetting {
	out := adminSetting{
		Key: string(n.Key), Category: string(n.Category), Type: string(n.Kind), Value: n.Value, Default: n.Usual, Changed: n.Changed,
		Set: n.Set, Unit: string(n.Unit), Choices: n.Choices, ConsoleOnly: n.Fresh,
	}
	if n.FromEnv {
		out.Environment = n.Env
	}
	if n.Kind == setting.Number {
		out.Min, out.Max = &n.Min, &n.Max
	}
	return out
}

// adminSettingChange is one change of a setting.
type adminSettingChange struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	By     string    `json:"by"`
	From   string    `json:"from"`
	To     string    `json:"to"`
	Reset  bool      `json:"reset"`
	Reason string    `json:"reason"`
}

// adminSettings answers GET admin/settings.
func (h *handler) adminSettings(c echo.Context) error {
	all, err := h.Settings.List(c.Request().Context())
	if err != nil {
		return err
	}
	items := make([]adminSetting, 0, len(all))
	for _, n := range all {
		items = append(items, settingOf(n))
	}
	return c.JSON(http.StatusOK, map[string]any{"items": items})
}

// adminSetting answers GET admin/settings/{key}.
func (h *handler) adminSetting(c echo.Context) error {
	n, err := h.Settings.One(c.Request().Context(), setting.Key(c.Param("key")))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, settingOf(n))
}

// adminSettingHistory answers GET admin/settings/{key}/history.
func (h *handler) adminSettingHistory(c echo.Context) error {
	n, err := h.Settings.One(c.Request().Context(), setting.Key(c.Param("key")))
	if err != nil {
		return err
	}
	items := make([]adminSettingChange, 0, len(n.History))
	for _, ch := range n.History {
		items = append(items, adminSettingChange{
			ID: ch.ID, At: ch.At, By: ch.By, From: ch.Was, To: ch.Now, Reset: !ch.Kept, Reason: ch.Reason,
		})
	}
	return c.JSON(http.StatusOK, map[string]any{"items": items})
}

// adminSetSetting answers PATCH admin/settings/{key}: another value, or null for as it comes.
func (h *handler) adminSetSetting(c echo.Context) error {
	var in struct {
		Value  *string `json:"value"`
		Reason string  `json:"reason"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	spec, known := setting.Find(setting.Key(c.Param("key")))
	switch {
	case !known:
		return setting.ErrUnknown
	case spec.Fresh:
		return errConsole
	}
	ctx, who := c.Request().Context(), session.Of(c)
	by := audit.Actor{Kind: audit.Staff, ID: who.StaffID, Name: who.Email, Role: who.Role, Address: c.RealIP()}
	var err error
	if in.Value == nil {
		err = h.Settings.Reset(ctx, spec.Key, in.Reason, by)
	} else {
		err = h.Settings.Set(ctx, spec.Key, *in.Value, in.Reason, by)
	}
	if err != nil {
		return err
	}
	return h.adminSetting(c)
}

// settingRoutes are those of the settings.
func (h *handler) settingRoutes(route func(string, string, staff.Permission, echo.HandlerFunc) web.Route) []web.Route {
	return []web.Route{
		route(http.MethodGet, "/settings", staff.SettingsManage, h.adminSettings),
		route(http.MethodGet, "/settings/:key", staff.SettingsManage, h.adminSetting),
		route(http.MethodGet, "/settings/:key/history", staff.SettingsManage, h.adminSettingHistory),
		route(http.MethodPatch, "/settings/:key", staff.SettingsManage, h.once().Wrap(h.adminSetSetting)),
	}
}
