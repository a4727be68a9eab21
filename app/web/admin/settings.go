package admin

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/setting"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
)

// Settings is what the console needs of the settings; setting.Service has it.
type Settings interface {
	List(ctx context.Context) ([]setting.Now, error)
	Set(ctx context.Context, k setting.Key, value, reason string, by audit.Actor) error
	Reset(ctx context.Context, k setting.Key, reason string, by audit.Actor) error
	Undo(ctx context.Context, k setting.Key, reason string, by audit.Actor) error
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
	p := views.Settings{Search: strings.TrimSpace(c.QueryParam("q")), Of: c.QueryParam("of")}
	for _, category := range setting.Categories() {
		p.Categories = append(p.Categories, string(category))
	}
	if !slices.Contains(p.Categories, p.Of) {
		p.Of = ""
	}
	for _, n := range all {
		if v := settingProps(n, typed); fits(c, p, string(n.Category), v) {
			p.Groups = grouped(p.Groups, string(n.Category), v)
		}
	}
	f, err := h.frame(c, "console.settings.title", "", "")
	if err != nil {
		return err
	}
	f.Failed = len(typed.Problems) > 0
	return web.Render(c, status, views.SettingsPage(f, p))
}

// fits says whether a setting is among those that are looked for.
func fits(c echo.Context, p views.Settings, category string, v views.Setting) bool {
	words := v.Key + " " + views.SettingLabel(web.Context(c), v.Key) + " " + views.SettingHelp(web.Context(c), v.Key)
	return (p.Of == "" || p.Of == category) && strings.Contains(strings.ToLower(words), strings.ToLower(p.Search))
}

// grouped adds a setting to the groups.
func grouped(groups []views.SettingGroup, category string, v views.Setting) []views.SettingGroup {
	if len(groups) == 0 || groups[len(groups)-1].Name != category {
		groups = append(groups, views.SettingGroup{Name: category})
	}
	g := &groups[len(groups)-1]
	g.Settings = append(g.Settings, v)
	return groups
}

func settingProps(n setting.Now, typed views.Setting) views.Setting {
	v := views.Setting{
		Key: string(n.Key), Kind: string(n.Kind), Unit: string(n.Unit), Min: n.Min, Max: n.Max, Choices: n.Choices, Lines: n.Lines,
		Value: n.Value, Usual: n.Usual, Set: n.Set, Empty: n.Empty, Changed: n.Changed, Fresh: n.Fresh,
	}
	if n.FromEnv {
		v.Env = n.Env
	}
	if v.Key == typed.Key {
		v.Typed, v.Reason, v.Problems = typed.Typed, typed.Reason, typed.Problems
	}
	for _, c := range n.History {
		v.History = append(v.History, views.SettingChange{From: c.Was, To: c.Now, Reset: !c.Kept, By: c.By, Reason: c.Reason, At: c.At})
	}
	return v
}

// setSetting answers POST /admin/settings/:key: another value, as it comes, or as it was before the last change.
func (h *Handler) setSetting(c echo.Context) error {
	key := c.Param("key")
	value, reason := c.FormValue(views.SettingField(key, "value")), c.FormValue(views.SettingField(key, "reason"))
	spec, known := setting.Find(setting.Key(key))
	if !known {
		return setting.ErrUnknown
	}
	if spec.Fresh && !h.Now().Before(session.Of(c).FreshUntil) {
		return signin.ErrNotFresh
	}
	var err error
	switch ctx, by := c.Request().Context(), actorOf(c); c.FormValue("act") {
	case "reset":
		err = h.Settings.Reset(ctx, spec.Key, reason, by)
	case "undo":
		err = h.Settings.Undo(ctx, spec.Key, reason, by)
	default:
		err = h.Settings.Set(ctx, spec.Key, value, reason, by)
	}
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return h.showSettings(c, http.StatusUnprocessableEntity, views.Setting{Key: key, Typed: &value, Reason: reason, Problems: f.Fields})
	}
	if err != nil {
		return err
	}
	said(c, "console.settings.saved", "name", views.SettingLabel(web.Context(c), key))
	return web.SeeOther(c, views.SettingsOf(string(spec.Category)))
}

// settingRoutes are those of the settings.
func (h *Handler) settingRoutes() []web.Route {
	at := func(method, path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: method, Path: path, For: web.Staff, Needs: staff.SettingsManage, Do: do}
	}
	return []web.Route{at(http.MethodGet, views.SettingsPath, h.settings), at(http.MethodPost, views.SettingsPath+"/:key", h.setSetting)}
}
