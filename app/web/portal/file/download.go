package file

import (
	"mime"
	"net/http"
	"path"
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web/portal/frame"
)

var errNoImage = fault.New(fault.Conflict, "no-image", "the server sent no picture",
	"This picture cannot be shown here. Download it to see it.")

// sizeHeader says how many bytes the whole file has.
const sizeHeader = "File-Size"

// download answers GET /app/files/download: a stretch of a file in a box that only the asking browser opens. It passes
// through memory, one at a time.
func (p *Pages) download(c echo.Context) error {
	in := wire.FileRead{Path: c.QueryParam("path"), Version: c.QueryParam("version"), ReplyKey: c.QueryParam("key")}
	offset, err := strconv.ParseInt(c.QueryParam("offset"), 10, 64)
	if err != nil || in.ReplyKey == "" {
		return frame.ErrUnsealed
	}
	in.Offset = offset
	got, err := p.Files.Read(c.Request().Context(), frame.Customer(c), in)
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(in.Path)}))
	h.Set(sizeHeader, strconv.FormatInt(got.Size, 10))
	return c.Blob(http.StatusOK, echo.MIMEOctetStream, got.Box)
}
