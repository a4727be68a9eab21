package admin

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/setting"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
)

// Settings is what the console needs of the settings; setting.Service has it.
type Settings interface {
	List(ctx context.Context) ([]setting.Now, error)
	Set(ctx context.Context, k setting.Key, value, reason string, by audit.Actor) error
}

// settings answers GET /admin/settings.
func (h *Handler) settings(c echo.Context) error {
	return h.showSettings(c, http.StatusOK, views.Setting{})
}

// showSettings shows them; typed is the one that was sent and does not fit.
func (h *Handler) showSettings(c echo.Context, status int, typed views.Setting) error {
	all, err := h.Settings.List(c.Request().Context())
	if err != nil {
		return err
	}
	p := views.Settings{Search: strings.TrimSpace(c.QueryParam("q"))}
	for _, n := range all {
		v := settingProps(n)
		if v.Key == typed.Key {
			v.Value, v.Reason, v.Problems = typed.Value, typed.Reason, typed.Problems
		}
		words := v.Key + " " + views.SettingLabel(web.Context(c), v.Key) + " " + views.SettingHelp(web.Context(c), v.Key)
		if !strings.Contains(strings.ToLower(words), strings.ToLower(p.Search)) {
			continue
		}
		if len(p.Groups) == 0 || p.Groups[len(p.Groups)-1].Name != n.Category {
			p.Groups = append(p.Groups, views.SettingGroup{Name: n.Category})
		}
		g := &p.Groups[len(p.Groups)-1]
		g.Settings = append(g.Settings, v)
	}
	f, err := h.frame(c, "console.settings.title", "", "")
	if err != nil {
		return err
	}
	f.Failed = len(typed.Problems) > 0
	return web.Render(c, status, views.SettingsPage(f, p))
}

func settingProps(n setting.Now) views.Setting {
	v := views.Setting{
		Key: string(n.Key), Value: strconv.Itoa(n.Value), Default: n.Default, Min: n.Min, Max: n.Max, Changed: n.Changed,
	}
	for _, c := range n.History {
		v.History = append(v.History, views.SettingChange{From: c.Was, To: c.Value, By: c.By, Reason: c.Reason, At: c.At})
	}
	return v
}

// setSetting answers POST /admin/settings/:key: another value, one from before, or as it comes.
func (h *Handler) setSetting(c echo.Context) error {
	key := c.Param("key")
	value, reason := c.FormValue(views.SettingField(key, "value")), c.FormValue(views.SettingField(key, "reason"))
	if back := c.FormValue("back"); back != "" {
		value = back
	}
	sent := value
	if c.FormValue("act") == "reset" {
		sent = ""
	} else if sent == "" {
		sent = " " // nothing was typed, which is no value
	}
	err := h.Settings.Set(c.Request().Context(), setting.Key(key), sent, reason, actorOf(c))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return h.showSettings(c, http.StatusUnprocessableEntity, views.Setting{Key: key, Value: value, Reason: reason, Problems: f.Fields})
	}
	if err != nil {
		return err
	}
	said(c, "console.settings.saved", "name", views.SettingLabel(web.Context(c), key))
	return web.SeeOther(c, views.SettingsPath)
}

// settingRoutes are those of the settings.
func (h *Handler) settingRoutes() []web.Route {
	at := func(method, path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: method, Path: path, For: web.Staff, Needs: staff.SettingsManage, Do: do}
	}
	return []web.Route{at(http.MethodGet, views.SettingsPath, h.settings), at(http.MethodPost, views.SettingsPath+"/:key", h.setSetting)}
}
