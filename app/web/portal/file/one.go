package file

import (
	"net/http"
	"path"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/web"
	"gatehouse/app/web/markdown"
	"gatehouse/app/web/portal/frame"

	views "gatehouse/views/portal/file"
)

// one answers GET /app/files/view: one file, as far as it can be shown.
func (p *Pages) one(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	props := views.OneProps{RowProps: views.RowProps{Path: c.QueryParam("path")}}
	f, err := p.Files.Get(ctx, frame.Customer(c), props.Path)
	if props.Away = frame.IsAway(err); err != nil && !props.Away {
		return err
	}
	if !props.Away {
		show(&props, f)
	}
	if props.Signs, err = p.signs(c); err != nil {
		return err
	}
	if !props.Away {
		props.Acts = acts(f.FileInfo)
		props.Changes, err = p.changes(ctx, c, props.Path)
	}
	if err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: path.Base(props.Path), Away: props.Away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Page(outer, props))
}

// show puts a file into the props.
func show(props *views.OneProps, f wire.File) {
	props.RowProps, props.Cut, props.Show = row(f.FileInfo), f.Cut, string(f.Show)
	switch f.Show {
	case wire.ShowMarkdown:
		props.HTML = markdown.Document(f.Text)
	case wire.ShowText:
		props.Text = f.Text
	}
}

// image answers GET /app/files/image: a picture as the server has drawn it anew.
func (p *Pages) image(c echo.Context) error {
	got, err := p.Files.Image(c.Request().Context(), frame.Customer(c), c.QueryParam("path"))
	if err != nil {
		return err
	}
	if got.Type != "image/png" && got.Type != "image/jpeg" {
		return errNoImage
	}
	c.Response().Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	return c.Blob(http.StatusOK, got.Type, got.Box)
}
