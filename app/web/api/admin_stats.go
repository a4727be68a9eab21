package api

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/attention"
	"gatehouse/app/staff"
	"gatehouse/app/web/session"
)

// Needs counts what waits for a person; attention.Service does.
type Needs interface {
	Counts(ctx context.Context) (attention.Counts, error)
}

// adminStats is what the first page of the console says.
type adminStats struct {
	Customers int        `json:"customers"`
	Servers   int        `json:"servers"`
	Needs     []statNeed `json:"needs"`
}

// statNeed is one figure that waits for a person.
type statNeed struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// adminStatistics answers GET admin/stats: what needs one of us now, as far as the role may look into it.
func (h *handler) adminStatistics(c echo.Context) error {
	n, err := h.Needs.Counts(c.Request().Context())
	if err != nil {
		return err
	}
	out := adminStats{Customers: n.Customers, Servers: n.Servers, Needs: []statNeed{}}
	role := staff.Role(session.Of(c).Role)
	for _, need := range n.Needs(role.May) {
		out.Needs = append(out.Needs, statNeed(need))
	}
	return c.JSON(http.StatusOK, out)
}
