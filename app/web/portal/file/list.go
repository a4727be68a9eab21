package file

import (
	"net/http"
	"net/url"
	"path"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/file"
)

// list answers GET /app/files: one folder, or what is found below it.
func (p *Pages) list(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	in := wire.FilesParams{Path: c.QueryParam("path"), Q: c.QueryParam("q"), After: c.QueryParam("after")}
	props := views.ListProps{Path: in.Path, Q: in.Q, After: in.After}
	got, err := p.Files.List(ctx, frame.Customer(c), in)
	if props.Away = frame.IsAway(err); err != nil && !props.Away {
		return err
	}
	if !props.Away {
		fill(&props, got)
	}
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, views.ListResults(props))
	}
	if props.Signs, err = p.signs(c); err != nil {
		return err
	}
	if !props.Away {
		props.NewFolder, props.Acts = act(wire.FileAct{Do: wire.FileDoFolder}), acts(got.Here)
		props.Changes, err = p.changes(ctx, c, got.Path)
	}
	if err != nil {
		return err
	}
	title := i18n.T(web.Context(c), "file.title")
	if props.Path != "" {
		title = path.Base(props.Path)
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: title, Away: props.Away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ListPage(outer, props))
}

// fill puts what the server answered into the props.
func fill(props *views.ListProps, got wire.FilesResult) {
	props.Path, props.Total, props.More = got.Path, got.Total, got.More
	if got.Next != "" {
		props.Next = portal.NextPage(portal.Files, url.Values{"path": {got.Path}}, got.Next)
	}
	for _, f := range got.Items {
		props.Rows = append(props.Rows, row(f))
	}
}

func row(f wire.FileInfo) views.RowProps {
	return views.RowProps{
		Path: f.Path, Folder: f.Kind == wire.FileFolder, Size: f.Size, Modified: f.Modified, Closed: f.Closed, Version: f.Version,
		Unkept: f.Unkept,
		Opens:  !f.Closed && f.Kind != wire.FileOther,
	}
}
