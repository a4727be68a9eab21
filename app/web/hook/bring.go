package hook

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web"
)

// Messengers carries what a messenger has brought to the server whose channel has the address; hook.Service does.
type Messengers interface {
	// Bring gives the server's answer. An error of the kind NotFound says that the address is nobody's, one of the kind Away or TooMany
	// that it may be brought again.
	Bring(ctx context.Context, network string, d wire.ChannelDelivery) (wire.ChannelAnswer, error)
}

// BringPath is the address to which messengers bring messages.
const BringPath = wire.HooksPath + ":channel"

// errTooLong says that more was brought than any server takes.
var errTooLong = errors.New("the body is too long")

// bring answers GET and POST /h/{channel}. Nothing of what came is kept here, whether the server takes it or not, and no log has its
// headers, its query or its body. An address that is nobody's is answered as the servers themselves would.
func (h *Handler) bring(c echo.Context) error {
	d, err := brought(c.Request(), c.Param("channel"))
	if errors.Is(err, errTooLong) {
		return answered(c, wire.ChannelAnswer{Status: http.StatusRequestEntityTooLarge, Body: []byte("It is too long.")})
	}
	if err != nil {
		return err
	}
	a, err := h.Messengers.Bring(c.Request().Context(), web.Network(c.RealIP()), d)
	switch {
	case err == nil && a.Status >= http.StatusOK:
		return answered(c, a)
	case err != nil && fault.Of(err).Kind == fault.NotFound:
		return answered(c, wire.ChannelAnswer{Status: http.StatusNotFound, Body: []byte("There is no such address.")})
	case err != nil && fault.Of(err).Kind == fault.TooMany:
		return answered(c, wire.ChannelAnswer{
			Status: http.StatusTooManyRequests, RetryAfter: 1, Body: []byte("Nothing was taken; send it again later."),
		})
	}
	return answered(c, wire.ChannelAnswer{ // also of a server that is too old to have such channels
		Status: http.StatusServiceUnavailable, RetryAfter: awaySeconds, Body: []byte("Nothing was taken; send it again later."),
	})
}

// brought makes a delivery of a request: of its headers only wire.ChannelHeaders.
func brought(r *http.Request, hook string) (wire.ChannelDelivery, error) {
	d := wire.ChannelDelivery{Hook: hook, Method: r.Method, Query: r.URL.RawQuery, Headers: map[string]string{}}
	for _, header := range wire.ChannelHeaders {
		if v := r.Header.Get(header); v != "" {
			d.Headers[header] = v
		}
	}
	if len(d.Query) > wire.MaxChannelQuery {
		return d, errTooLong
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, wire.MaxChannelBody+1))
	if err == nil && len(body) > wire.MaxChannelBody {
		err = errTooLong
	}
	d.Body = body
	return d, err
}

// answered hands on the answer of a server: no page and no script, since it stands at our own address.
func answered(c echo.Context, a wire.ChannelAnswer) error {
	if a.RetryAfter > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(a.RetryAfter))
	}
	if a.Type != wire.ChannelJSON {
		a.Type = wire.ChannelText
	}
	if a.Status < http.StatusOK || a.Status > 599 || a.Status/100 == 3 || len(a.Body) > wire.MaxChannelAnswer {
		a.Status, a.Body = http.StatusBadGateway, nil
	}
	c.Response().Header().Set("X-Content-Type-Options", "nosniff")
	return c.Blob(a.Status, a.Type, a.Body)
}
