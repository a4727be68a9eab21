package account

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/account"
)

// Archives are made by the customer's server; export.Service asks it.
type Archives interface {
	Start(ctx context.Context, of account.CustomerID, by wire.Origin) (wire.Export, error)
	Newest(ctx context.Context, of account.CustomerID) (wire.Export, error)
	Read(ctx context.Context, of account.CustomerID, id string, offset int64) (wire.ExportPart, error)
	ReadFiles(ctx context.Context, of account.CustomerID, p wire.ExportFilesRead) (wire.FilePart, error)
}

// dataRoutes are the page of the customer's own data and the archive. Making one takes a sign-in of the last ten minutes.
func (p *Pages) dataRoutes() []web.Route {
	return []web.Route{
		frame.Get(views.DataPath, account.Manage, p.data),
		{Method: http.MethodPost, Path: views.DataPath, For: web.Customer, Right: account.Manage, Fresh: true, Do: p.makeArchive},
		{Method: http.MethodGet, Path: views.ArchivePath(":id"), For: web.Customer, Right: account.Manage, Stream: true, Do: p.archive},
		frame.Get(views.PackedPath(":id"), account.Manage, p.packed),
		{Method: http.MethodPost, Path: views.KnownPath, For: web.Customer, Right: account.Manage, Fresh: true, Do: p.known},
	}
}

// data answers GET /app/settings/data: what an archive holds, and the newest one.
func (p *Pages) data(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	got, err := p.Archives.Newest(ctx, frame.Customer(c))
	away := frame.IsAway(err)
	if err != nil && !away {
		return err
	}
	props := views.DataProps{
		Away: away, Running: got.State == wire.ExportRunning, Failed: got.State == wire.ExportFailed, Conversations: got.Conversations,
	}
	if got.Files != nil {
		props.Packs, props.Files = true, got.Files.Count
	}
	if got.State == wire.ExportDone {
		props.Archive, props.Size, props.At, props.Until = views.ArchivePath(got.ID), got.Size, got.At, got.Until
		if props.Packed, err = p.packedProps(c, got); err != nil {
			return err
		}
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.data.title"), Away: away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.DataPage(outer, props))
}

// makeArchive answers POST /app/settings/data.
func (p *Pages) makeArchive(c echo.Context) error {
	got, err := p.Archives.Start(c.Request().Context(), frame.Customer(c), frame.Origin(c))
	if err != nil {
		return err
	}
	switch got.State {
	case wire.ExportDone:
		frame.Said(c, "portal.data.now_made")
	case wire.ExportRunning:
		frame.Said(c, "portal.data.now_begun")
	}
	return web.SeeOther(c, views.DataPath)
}

// errArchive says that there is no such archive.
var errArchive = fault.New(fault.NotFound, "no-archive", "no such archive",
	"This archive is not on your server any more. Make a new one under Settings, Your data.")

// archive answers GET /app/settings/data/:id: the archive, a stretch at a time from the server to the browser. A download that
// was cut goes on where it was.
func (p *Pages) archive(c echo.Context) error {
	id, of := c.Param("id"), frame.Customer(c)
	if uuid.Validate(id) != nil {
		return errArchive
	}
	from := rangeFrom(c.Request(), id)
	part, err := p.Archives.Read(c.Request().Context(), of, id, from)
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "application/zip")
	h.Set(echo.HeaderContentDisposition, `attachment; filename="my-data.zip"`)
	h.Set(echo.HeaderContentLength, strconv.FormatInt(part.Size-from, 10))
	h.Set("Accept-Ranges", "bytes")
	h.Set("Etag", strconv.Quote(id))
	status := http.StatusOK
	if from > 0 {
		status = http.StatusPartialContent
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, part.Size-1, part.Size))
	}
	c.Response().WriteHeader(status)
	return p.pass(c, of, id, from, part)
}

// stretchWait is how long a browser may take for one stretch.
const stretchWait = time.Minute

// pass sends one stretch after the other. Once the answer has begun, nothing can be said any more: what is cut, the browser asks
// for again.
func (p *Pages) pass(c echo.Context, of account.CustomerID, id string, at int64, part wire.ExportPart) (err error) {
	for {
		if err := web.Allow(c, stretchWait); err != nil {
			return err
		}
		if _, err := c.Response().Write(part.Box); err != nil {
			return nil // the browser has left
		}
		if at += int64(len(part.Box)); at >= part.Size || len(part.Box) == 0 {
			return nil
		}
		c.Response().Flush()
		if part, err = p.Archives.Read(c.Request().Context(), of, id, at); err != nil {
			return err
		}
	}
}

// rangeFrom is where a download goes on; 0: at its beginning. An archive with another id is another archive.
func rangeFrom(r *http.Request, id string) int64 {
	text, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes=")
	from, rest, _ := strings.Cut(text, "-")
	if same := r.Header.Get("If-Range"); !ok || rest != "" || same != "" && same != strconv.Quote(id) {
		return 0
	}
	n, err := strconv.ParseInt(from, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
