package admin

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/page"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// wanted is what a list is asked for by its address.
type wanted struct {
	page.Ask
	narrow map[string]string // by filter, as far as there are any
}

// wantedOf reads it; filters are those that the list has.
func wantedOf(c echo.Context, filters ...string) (wanted, error) {
	return wantedBy(c, page.Ask.Clean, filters...)
}

// wantedBy is wantedOf for a list whose pages are asked for as clean has it.
func wantedBy(c echo.Context, clean func(page.Ask) (page.Ask, error), filters ...string) (wanted, error) {
	w := wanted{Ask: page.Ask{After: c.QueryParam("after"), Search: c.QueryParam("q")}, narrow: map[string]string{}}
	for _, name := range filters {
		w.narrow[name] = c.QueryParam(name)
	}
	if v := c.QueryParam("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			n = -1
		}
		w.Limit = n
	}
	ask, err := clean(w.Ask)
	w.Ask = ask
	return w, err
}

// at is the address of a page of the list, with all that it is asked for.
func (w wanted) at(path, after string) string {
	return (&url.URL{Path: path, RawQuery: w.query(after).Encode()}).String()
}

// query is what the list is asked for, for an address.
func (w wanted) query(after string) url.Values {
	q := url.Values{}
	for k, v := range w.narrow {
		setIf(q, k, v)
	}
	setIf(q, "q", w.Search)
	setIf(q, "after", after)
	if w.Limit != page.DefaultLimit {
		q.Set("limit", strconv.Itoa(w.Limit))
	}
	return q
}

func setIf(q url.Values, k, v string) {
	if v != "" {
		q.Set(k, v)
	}
}

// listed makes the list that a page shows of what was found.
func listed[T, U any](w wanted, path string, of page.Of[T], props func(T) U) views.List[U] {
	l := views.List[U]{Search: w.Search, State: w.narrow["state"]}
	if w.After != "" {
		l.First = w.at(path, "")
	}
	if of.Next != "" {
		l.Next = w.at(path, of.Next)
	}
	for _, v := range of.Items {
		l.Items = append(l.Items, props(v))
	}
	return l
}

// list answers with a list's page, or with its results alone to what replaces only those.
func (h *Handler) list(c echo.Context, title i18n.Key, topic string, t ui.Table, whole func(layout.Frame) templ.Component) error {
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, ui.TableResults(t))
	}
	f, err := h.frame(c, title, topic, "")
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, whole(f))
}
