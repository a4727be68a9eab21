package file

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/file"
)

// errAct refuses a form whose act no page of ours has made.
var errAct = fault.New(fault.Malformed, "act-unreadable", "act cannot be read",
	"This form could not be read. Nothing was changed; load the page again and repeat it.")

// signs is what a signature of this page is bound to.
func (p *Pages) signs(c echo.Context) (views.SignsProps, error) {
	server, config, err := signing.BoundTo(c, p.Frames, p.Team)
	return views.SignsProps{Server: server, Config: config}, err
}

// act is an act as its form names and signs it: each form a new one.
func act(a wire.FileAct) string {
	a.ID = uuid.Must(uuid.NewV7()).String()
	raw, err := json.Marshal(a)
	if err != nil {
		panic("act of plain texts: " + err.Error())
	}
	return string(raw)
}

// acts are what can be done to a file or a folder; nothing to the one that holds all.
func acts(f wire.FileInfo) views.ActsProps {
	if f.Path == "" || f.Path == "." {
		return views.ActsProps{}
	}
	a := wire.FileAct{Path: f.Path, Before: f.Version}
	move, remove := a, a
	move.Do, remove.Do = wire.FileDoMove, wire.FileDoDelete
	return views.ActsProps{Move: act(move), Delete: act(remove)}
}

// changes are what can be taken back. What cannot be read is said in its place alone.
func (p *Pages) changes(ctx context.Context, c echo.Context, of string) (views.ChangesProps, error) {
	got, err := p.Files.Versions(ctx, frame.Customer(c), of)
	if frame.IsOurs(err) {
		return views.ChangesProps{}, err
	}
	out := views.ChangesProps{Unread: err != nil}
	for _, v := range got.Items {
		row := views.ChangeProps{
			Path: v.Path, Did: string(v.Did), At: v.Time, Until: v.Until, By: v.By, Files: v.Files, ID: v.ID,
			Back:  act(wire.FileAct{Do: wire.FileDoRestore, Path: v.Path, Of: v.ID, Before: v.Now, Anyway: v.Later}),
			Later: v.Later, Lost: v.Lost,
		}
		if v.Agent != "" {
			row.By, row.Compare = p.Agents.Agent(web.Context(c), frame.Customer(c), v.Agent).Name, v.Did == wire.FileChanged
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// change answers POST /app/files/change: carries out what the script has signed, and says what is now true.
func (p *Pages) change(c echo.Context) error {
	var a wire.FileAct
	if json.Unmarshal([]byte(c.FormValue("act")), &a) != nil {
		return errAct
	}
	sig, err := inbox.SignatureOf(c)
	if err != nil {
		return err
	}
	got, err := p.Files.Change(c.Request().Context(), frame.Customer(c), wire.FileChange{Act: a, Signature: sig, By: inbox.Decider(c)})
	if err != nil {
		return err
	}
	ctx, name := web.Context(c), path.Base(a.Path)
	folder := strings.TrimSuffix(path.Dir(a.Path), ".")
	switch a.Do {
	case wire.FileDoFolder:
		web.Flash(c, "ok", i18n.T(ctx, "file.did_folder", "name", name))
	case wire.FileDoMove:
		web.Flash(c, "ok", i18n.T(ctx, "file.did_move", "name", name, "to", path.Base(a.To)))
		folder = strings.TrimSuffix(path.Dir(a.To), ".")
	case wire.FileDoDelete:
		web.Flash(c, "ok", said(ctx, got.Unkept, "file.did_delete", "file.did_delete_unkept", name))
	case wire.FileDoRestore:
		web.Flash(c, "ok", said(ctx, got.Unkept, "file.did_restore", "file.did_restore_unkept", name))
	}
	if got.Kind == wire.FilePlain && a.Do != wire.FileDoDelete {
		return web.SeeOther(c, views.OnePath(got.Path))
	}
	return web.SeeOther(c, views.FolderPath(folder))
}

// said is what was done to a file, and whether what that took away is kept.
func said(ctx context.Context, unkept bool, kept, not i18n.Key, name string) string {
	if unkept {
		kept = not
	}
	return i18n.T(ctx, kept, "name", name)
}

// about answers GET /app/files/about: what is at a path, for the script that is about to replace it.
func (p *Pages) about(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	f, err := p.Files.Get(ctx, frame.Customer(c), c.QueryParam("path"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, f.FileInfo)
}
