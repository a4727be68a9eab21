package account

import (
	"mime"
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/frame"

	views "gatehouse/views/portal/account"
)

// packedProps is the archive of files; nil where the server has made none.
func (p *Pages) packedProps(c echo.Context, of wire.Export) (*views.PackedProps, error) {
	if of.Files == nil {
		return nil, nil
	}
	srv, err := p.Frames.Server(c.Request().Context(), frame.Customer(c))
	if err != nil {
		return nil, err
	}
	out := &views.PackedProps{
		Action: views.PackedPath(of.ID), Name: wire.ExportFilesName, Version: of.ID, Server: string(srv.ID),
		Files: of.Files.Count, Size: of.Files.Size,
	}
	for _, l := range of.Files.Left {
		out.Left = append(out.Left, views.LeftProps{Why: string(l.Why), Count: l.Count, Some: l.Some})
	}
	return out, nil
}

// packed answers GET /app/settings/data/:id/files: a stretch of the archive of files, in a box that only the asking browser opens.
func (p *Pages) packed(c echo.Context) error {
	in := wire.ExportFilesRead{ID: c.Param("id"), ReplyKey: c.QueryParam("key")}
	offset, err := strconv.ParseInt(c.QueryParam("offset"), 10, 64)
	if err != nil || in.ReplyKey == "" {
		return frame.ErrUnsealed
	}
	if uuid.Validate(in.ID) != nil {
		return errArchive
	}
	in.Offset = offset
	got, err := p.Archives.ReadFiles(c.Request().Context(), frame.Customer(c), in)
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": wire.ExportFilesName}))
	return c.Blob(http.StatusOK, echo.MIMEOctetStream, got.Box)
}
