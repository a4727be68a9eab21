package permission

import (
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
)

// actBack is the button that puts a former version in force again.
const actBack = "back"

// errNoVersion says that a version cannot be brought back.
var errNoVersion = fault.New(fault.NotFound, "no-such-version", "no text of that version of the rules",
	"Your server no longer has the text of these rules. Nothing was changed.")

// saidRules leaves what is true now, and the way back. Rules that let through less come back in one press; others are shown
// first, and saving them takes a signature.
func saidRules(c echo.Context, now wire.Permissions) {
	ctx := web.Context(c)
	text := i18n.T(ctx, "rule.saved")
	former, ok := before(now)
	if !ok {
		web.Flash(c, "ok", text)
		return
	}
	if loosens(now.Text, former.Text) {
		web.FlashLink(c, text, web.Link{Path: formerPath(former.Version), Label: i18n.T(ctx, "rule.see_former")})
		return
	}
	web.FlashUndo(c, text, web.Undo{Path: portal.Permissions, Fields: map[string]string{
		"act": actBack, "version": strconv.FormatInt(former.Version, 10),
		"base": strconv.FormatInt(now.Version, 10), "id": uuid.Must(uuid.NewV7()).String(),
	}})
}

// before is the version that was in force until now.
func before(now wire.Permissions) (wire.PermissionVersion, bool) {
	for _, v := range now.Versions { // the newest first
		if v.Version < now.Version {
			return v, v.Text != ""
		}
	}
	return wire.PermissionVersion{}, false
}

// loosens reports whether rules could let something through that the present ones hold back. Of a text that cannot be read it is
// assumed.
func loosens(now, next string) bool {
	from, err := policy.ParseManifest([]byte(now))
	if err != nil {
		return true
	}
	to, err := policy.ParseManifest([]byte(next))
	return err != nil || policy.LoosensRules(from, to)
}

// bringBack puts a former version in force. Where that takes a signature, the version is shown, to be signed for.
func (p *Pages) bringBack(c echo.Context) error {
	now, err := p.Permissions.Get(c.Request().Context(), frame.Customer(c))
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(c.FormValue("version"), 10, 64)
	i := slices.IndexFunc(now.Versions, func(v wire.PermissionVersion) bool { return err == nil && v.Version == n && v.Text != "" })
	if i < 0 {
		return errNoVersion
	}
	props := sentProps(c)
	props.Text, props.Reason = now.Versions[i].Text, i18n.T(web.Context(c), "permission.back_to", "n", n)
	in, err := p.settingOf(c, props)
	if err == nil {
		now, err = p.Permissions.Set(c.Request().Context(), frame.Customer(c), in)
	}
	f := web.Told(c, err)
	switch {
	case err == nil:
		saidRules(c, now)
		return frame.GoTo(c, portal.Permissions)
	case f.Kind != fault.Conflict && f.Kind != fault.Forbidden:
		return err
	}
	web.Flash(c, "warn", f.Public)
	return frame.GoTo(c, formerPath(n))
}

// formerPath shows a former version as a draft.
func formerPath(version int64) string {
	return portal.Permissions + "?version=" + strconv.FormatInt(version, 10)
}
