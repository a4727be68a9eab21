package inbox

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"gatehouse/app/approval"
	"gatehouse/app/web"

	views "gatehouse/views/inbox"
)

// one answers GET /app/approvals/:id: everything about one approval, and after the decision who, when and where.
func (h *Inbox) one(c echo.Context) error {
	it, err := h.find(c)
	if err != nil {
		return err
	}
	return h.show(c, http.StatusOK, it, "")
}

// show renders the page of one approval; conflict says why an answer was not taken.
func (h *Inbox) show(c echo.Context, status int, it approval.Item, conflict string) error {
	may, err := h.leave(c)
	if err != nil {
		return err
	}
	p := h.card(c.Request().Context(), it, may)
	frame, err := h.Frame(c, views.TabTitle(web.Context(c), p), h.streamOf("approval&id="+it.ID+"&at="+MarkOne(it)))
	if err != nil {
		return err
	}
	p.Conflict = conflict
	return web.Render(c, status, views.OnePage(frame, p))
}

// streamOf is the address of what keeps a page up to date.
func (h *Inbox) streamOf(topic string) string {
	if h.staff() {
		return h.Base + "/stream?topic=" + topic
	}
	return h.Stream(topic)
}

func escape(s string) string { return url.QueryEscape(s) }
